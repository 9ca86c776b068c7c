"""What was counted: rows that other programs take, and tables."""

import ctypes
import html
import weakref

from boxscore._library import ANY, SCALED, ResultFunctions, call, raw, result_free, result_save, text


class NoCount(LookupError):
    """An event or a metric has no value; the text says why: "not modelled", "not measured" …"""


def _known(number):
    return None if number == ANY else number


def _value_row(of, i, runs):
    """A value of bx_result as a row. None stands where there is nothing; a 0 is always a count."""
    get = ResultFunctions
    counted = get.state(of, i) <= SCALED
    error = get.error(of, i)
    row = {"event": text(get.event(of, i)),
           "value": get.value(of, i) if counted else None,
           "unit": text(get.counts(of, i)),
           "state": text(get.state_text(of, i)),
           "error": error if counted and error >= 0 else None,
           "share": get.share(of, i)}
    if runs > 1:
        row["mean"] = get.mean(of, i) if counted else None
        row["confidence"] = get.confidence(of, i) if counted else None
    return row


def _place(of, i):
    get = ResultFunctions
    return {"place": text(get.where(of, i)), "package": _known(get.package(of, i)),
            "pmu_unit": _known(get.unit(of, i)), "tid": get.thread(of, i) or None,
            "cpu": _known(get.cpu(of, i))}


def _metric_row(of, i):
    get, number = ResultFunctions, ctypes.c_double()
    known = get.metric_value(of, i, ctypes.byref(number))
    error = get.metric_error(of, i) if known else -1
    return {"metric": text(get.metric(of, i)), "value": number.value if known else None,
            "unit": text(get.metric_unit(of, i)),
            "state": text(get.metric_state(of, i)).strip("<>") or "computed",
            "error": error if error >= 0 else None,
            "place": text(get.metric_where(of, i)), "package": _known(get.metric_package(of, i))}


def _number(value):
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.4g}" if abs(value) < 10000 else f"{value:,.0f}"


class Rows(list):
    """A list of dictionaries with the same keys: `pandas.DataFrame(rows)`, `csv.DictWriter`."""

    def columns(self):
        """The keys, without those that have nothing in any row."""
        keys = list(self[0]) if self else []
        return [key for key in keys if any(row[key] not in (None, "") for row in self)]

    def _cells(self):
        """Text for each row. In place of a value that is not there stands why."""
        for row in self:
            cells = {key: value if isinstance(value, str) else _number(value)
                     for key, value in row.items()}
            if row["value"] is None:
                cells["value"] = f"<{row['state']}>"
            yield cells

    def __str__(self):
        columns, rows = self.columns(), list(self._cells())
        width = {key: max(len(key), *(len(row[key]) for row in rows)) for key in columns}
        right = {key for key in columns if not all(isinstance(row[key], str) for row in self)}
        return "\n".join(
            "  ".join(row[key].rjust(width[key]) if key in right else row[key].ljust(width[key])
                      for key in columns).rstrip()
            for row in [{key: key for key in columns}, *rows])

    def _repr_html_(self):
        columns = self.columns()
        if not columns:
            return "<p>no rows</p>"
        right = {key for key in columns if not all(isinstance(row[key], str) for row in self)}

        def cell(tag, key, shown):
            align = ' style="text-align: right"' if key in right else ""
            return f"<{tag}{align}>{html.escape(shown)}</{tag}>"
        head = "".join(cell("th", key, key) for key in columns)
        body = "".join("<tr>" + "".join(cell("td", key, row[key]) for key in columns) + "</tr>\n"
                       for row in self._cells())
        return f"<table>\n<tr>{head}</tr>\n{body}</table>"


class Result:
    """A measurement.

    rows: each event's sum over all units. units: each unit's, thread's or CPU's value. metrics:
    those of all units; unit_metrics: each unit's. remarks: what was not seen, a text each.
    machine, seconds, runs, exit_status. regions: results with name, thread (0: all) and entered.
    intervals: results with `ended`, seconds from the start.
    """

    def __init__(self, of, work, whole=None):
        get = ResultFunctions
        self._of, self._whole = of, whole or self
        self.work = work
        self.machine = text(get.machine(of))
        self.seconds, self.ended = get.seconds(of), get.ended(of)
        self.runs, self.exit_status = get.runs(of), get.exit_status(of)
        self.name, self.thread = text(get.region_name(of)), get.region_thread(of)
        self.entered = get.region_entered(of)
        self.rows, self.units = Rows(), Rows()
        for i in range(get.values(of)):
            row = _value_row(of, i, self.runs)
            if get.is_sum(of, i):
                self.rows.append(row)
            else:
                self.units.append({**row, **_place(of, i)})
        self.metrics, self.unit_metrics = Rows(), Rows()
        for i in range(get.metrics(of)):
            row = _metric_row(of, i)
            (self.unit_metrics if row["place"] else self.metrics).append(row)
        for row in self.metrics:
            del row["place"], row["package"]
        self.remarks, self.regions, self.intervals = [], [], []
        while (remark := get.remark(of, len(self.remarks))) is not None:
            self.remarks.append(text(remark))
        if whole is None:
            while region := get.region(of, len(self.regions)):
                self.regions.append(Result(region, work, self))

    @classmethod
    def owning(cls, of, work):
        """Of a result of the library's that was handed to us."""
        try:
            result = cls(of, work)
        except BaseException:
            result_free(of)
            raise
        weakref.finalize(result, result_free, of)
        return result

    def save(self, file):
        """Writes it as `boxscore stat -j -o FILE` does, for `boxscore diff`."""
        if self._whole is not self or self._of is None:
            raise ValueError("a region or an interval is a part of a result: save the whole one")
        call(result_save, self._of, raw(file, "the file"))

    def __getitem__(self, name):
        """The value of an event, by its whole name or what is after its `::`, also without unit
        masks and modifiers; or of a metric.

        KeyError: there is no such row. NoCount: it has no value.
        """
        found = [row for row in self.rows
                 if name in (row["event"], row["event"].rpartition("::")[2])]
        found = found or [row for row in self.metrics if name == row["metric"]]
        found = found or [row for row in self.rows
                          if (row["event"] + ":").startswith(name + ":")
                          or ("::" + row["event"].rpartition("::")[2] + ":").startswith(f"::{name}:")]
        if not found:
            names = [row["event"] for row in self.rows] + [row["metric"] for row in self.metrics]
            raise KeyError(f"{name!r} was not counted; there are {', '.join(names)}")
        if len(found) > 1:
            raise KeyError(f"{name!r} was counted {len(found)} times: look in rows")
        row = found[0]
        if row["value"] is None:
            raise NoCount(f"{name}: {row['state']}")
        return row["mean"] if "mean" in row else row["value"]

    def title(self):
        """What was counted where."""
        of = f" in region '{self.name}'" if self.name else ""
        if self.thread:
            of += f", thread {self.thread}"
        return f"{self.work}{of} on {self.machine}"

    def __repr__(self):
        return f"<boxscore.Result of {self.title()}: {len(self.rows)} events>"

    def __str__(self):
        parts = [self.title(), str(self.rows), str(self.metrics) if self.metrics else "",
                 "\n".join(self.remarks), f"{self.seconds:.9g} seconds"]
        return "\n\n".join(part for part in parts if part)

    def _repr_html_(self):
        parts = [f"<p><b>{html.escape(self.title())}</b>, {self.seconds:.6g} seconds</p>",
                 self.rows._repr_html_()]
        if self.metrics:
            parts.append(self.metrics._repr_html_())
        if self.remarks:
            parts.append("<ul>" + "".join(f"<li>{html.escape(remark)}</li>"
                                          for remark in self.remarks) + "</ul>")
        return "\n".join(parts)
