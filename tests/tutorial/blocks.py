"""Block diagrams of the processors, for docs/explanation/blocks.md."""

import picture
from picture import frame

CORE, SLICE, QUEUE, MEMORY, OTHER, PLAIN = "#dbe6f4", "#fbe8d6", "#e4f1e8", "#efe6f5", "#fdf3cf", "#eeeeee"


def box(x, y, width, height, colour, *lines):
    parts = [f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}" stroke="#888"/>']
    top = y + height / 2 - picture.LINE / 2 * (len(lines) - 1) + 5
    return parts + [picture.text(x + width / 2, top + picture.LINE * i, words) for i, words in enumerate(lines)]


def wire(x1, y1, x2, y2):
    return [f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#444" stroke-width="1.5"/>']


def row(y, height, colour, n, left, width, *lines):
    """n equal boxes beside each other; {} in a line is the box's number."""
    parts, step = [], width / n
    for i in range(n):
        parts += box(left + step * i + 2, y, step - 4, height, colour, *[line.format(i) for line in lines])
    return parts


def skl():
    out = [picture.text(240, 22, "6th generation Core (skl)")]
    out += row(40, 54, CORE, 4, 20, 440, "core {}", "L1, L2")
    out += row(160, 54, SLICE, 4, 20, 440, "C-Box {}", "LLC slice")
    for i in range(4):
        out += wire(75 + 110 * i, 94, 75 + 110 * i, 116) + wire(75 + 110 * i, 140, 75 + 110 * i, 160)
        out += wire(75 + 110 * i, 214, 75 + 110 * i, 240)
    out += box(22, 116, 436, 24, "#ffffff", "ring; graphics and devices are on it, too")
    out += box(22, 240, 436, 54, QUEUE, "ARB: skl_unc_arb, and its clock counter skl_unc_clock")
    out += wire(240, 294, 240, 316) + box(22, 316, 436, 44, MEMORY, "memory: skl_unc_imc, five free-running counters")
    out += wire(240, 360, 240, 382) + box(22, 382, 436, 30, PLAIN, "memory")
    out += [picture.text(240, 436, "C-Boxes: skl_unc_cbo0 to cbo3; cores: skl_core", colour="#666")]
    return frame(450, out)


def nhmex():
    out = [picture.text(240, 22, "Xeon 7500 (nhmex), one package")]
    out += row(40, 34, CORE, 8, 12, 456, "core {}")
    out += row(128, 54, SLICE, 8, 12, 456, "C-Box", "{}")
    for i in range(8):
        x = 12 + 28.5 + 57 * i
        out += wire(x, 74, x, 92) + wire(x, 112, x, 128)
    out += box(14, 92, 452, 20, "#ffffff", "ring")
    for side in range(2):
        x, name = 14 + 230 * side, ("left", "right")[side]
        out += wire(x + 111, 182, x + 111, 204) + box(x, 204, 222, 44, QUEUE, f"S-Box {side}, {name} half")
        out += wire(x + 51, 248, x + 51, 280) + wire(x + 167, 248, x + 167, 280)
        far, near = (x, x + 116) if side == 0 else (x + 116, x)
        out += box(far, 280, 106, 44, OTHER, f"B-Box {side}", "home agent")
        out += wire(far + 53, 324, far + 53, 344) + box(far, 344, 106, 44, MEMORY, f"M-Box {side}", "controller")
        out += wire(far + 53, 388, far + 53, 408) + box(far, 408, 106, 34, PLAIN, "memory")
        out += box(near, 280, 106, 44, SLICE, f"R-Box {name}", f"ports {4 * side}-{4 * side + 3}")
        out += wire(near + 53, 324, near + 53, 408)
    out += box(130, 408, 220, 34, PLAIN, "QPI: other sockets, I/O hubs")
    out += box(14, 458, 222, 44, OTHER, "U-Box: global control,", "interrupts")
    out += box(244, 458, 222, 44, OTHER, "W-Box: power and heat,", "the clock counter")
    return frame(516, out)


def ivbep():
    out = [picture.text(240, 22, "Ivy Bridge-EP (ivbep), one package")]
    out += row(40, 34, CORE, 8, 12, 456, "core {}")
    out += row(128, 54, SLICE, 8, 12, 456, "C-Box", "{}")
    for i in range(8):
        x = 12 + 28.5 + 57 * i
        out += wire(x, 74, x, 92) + wire(x, 112, x, 128)
    out += box(14, 92, 452, 20, "#ffffff", "ring; up to 15 C-Boxes, numbered 0 to 14")
    out += wire(110, 182, 110, 210) + box(14, 210, 192, 44, OTHER, "home agents")
    out += wire(283, 182, 283, 210) + box(222, 210, 122, 44, PLAIN, "QPI, PCI Express")
    out += wire(412, 182, 412, 210) + box(360, 210, 106, 44, QUEUE, "U-Box", "ivbep_unc_ubo")
    out += wire(110, 254, 110, 282)
    out += row(282, 54, MEMORY, 4, 12, 456, "channel {}", "ivbep_unc_imc")
    out += wire(110, 268, 412, 268)
    for i in range(4):
        x = 12 + 57 + 114 * i
        out += wire(x, 268, x, 282) + wire(x, 336, x, 354)
    out += box(14, 354, 452, 30, PLAIN, "memory")
    out += [picture.text(240, 408, "C-Boxes: ivbep_unc_cbo0, 1 …; cores: ivbep_core", colour="#666"),
            picture.text(240, 428, "not in the catalogue: home agents, QPI, PCI Express", colour="#666")]
    return frame(442, out)
