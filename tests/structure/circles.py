"""Files that use each other in a circle, found by linking. usage: circles.py BUILD_FOLDER

An object file uses another one if it leaves a symbol undefined that the other one defines. So a circle
cannot hide behind a header that both include. None is allowed.
"""

import pathlib
import subprocess
import sys


def symbols(objects):
    """For each object file the symbols that it defines, and those that it leaves undefined."""
    found = {path: (set(), set()) for path in objects}
    lines = subprocess.run(["nm", "-A", *found], capture_output=True, text=True, check=True).stdout
    for line in lines.splitlines():
        path, entry = line.split(":", 1)
        kind, name = entry.split()[-2:]
        if kind in "Uw":
            found[path][1].add(name)
        elif kind.isupper():
            found[path][0].add(name)
    return found


def uses(found):
    """The object files that each one uses. A definition in the same program or library comes first."""
    where = {}
    for path, (defined, _) in found.items():
        for name in defined:
            where.setdefault(name, []).append(path)
    graph = {}
    for path, (_, undefined) in found.items():
        folder = path.rsplit("/", 1)[0]
        graph[path] = set()
        for name in undefined:
            of = sorted(where.get(name, []), key=lambda other: not other.startswith(folder + "/"))
            graph[path].update(of[:1])
    return graph


def circles(graph):
    """The groups of nodes that reach each other: Tarjan's algorithm, without recursion."""
    number, lowest, stack, on_stack, groups = {}, {}, [], set(), []
    for start in graph:
        work = [(start, None)] if start not in number else []
        while work:
            node, rest = work.pop()
            if rest is None:
                number[node] = lowest[node] = len(number)
                stack.append(node)
                on_stack.add(node)
                rest = iter(graph[node])
            for other in rest:
                if other not in number:
                    work += [(node, rest), (other, None)]
                    break
                if other in on_stack:
                    lowest[node] = min(lowest[node], lowest[other])
            else:
                if lowest[node] == number[node]:
                    at = stack.index(node)
                    groups.append(stack[at:])
                    on_stack.difference_update(stack[at:])
                    del stack[at:]
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
    return [group for group in groups if len(group) > 1]


def main(build):
    product = [path for path in pathlib.Path(build).rglob("*.o")
               if not {"tests", "bench"} & set(path.relative_to(build).parts)]
    found = set()
    for circle in circles(uses(symbols(sorted(map(str, product))))):
        found.add(" ".join(sorted({pathlib.Path(path).name.removesuffix(".o").removesuffix(".c") for path in circle})))
    bad = 0
    for circle in sorted(found):
        print(f"these files use each other: {circle}")
        bad = 1
    if not product:
        print(f"no object files in {build}")
        bad = 1
    return bad


sys.exit(main(sys.argv[1]))
