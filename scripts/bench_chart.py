#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draws the figures of ub-bench as bars, ubsoft beside rdma_rxe.

    bench_chart.py CONSOLE SVG

CONSOLE is a console log with the lines that ub-bench prints for programs:
'@@BENCH name|title|median|minimum|maximum|' and the same three of rdma_rxe.
The scale is logarithmic; a bar ends at the median, a thin line spans minimum
to maximum.
"""

import math
import re
import sys
from xml.sax.saxutils import escape

LINE = re.compile(r"@@BENCH (\w+)\|([^|]*)\|(\d*)\|(\d*)\|(\d*)\|(\d*)\|(\d*)\|(\d*)")
LEFT, WIDTH, RIGHT = 250, 560, 190
BAR, ROW, TOP = 8, 24, 58
COLOURS = ("#1f6f8b", "#c9803a")


def read(path):
    """The operations of a log, as title and three figures for each side."""
    rows = {}
    with open(path, errors="replace", encoding="utf-8") as log:
        for match in LINE.finditer(log.read()):
            figures = [int(text) if text else None for text in match.groups()[2:]]
            rows[match.group(1)] = (match.group(2), figures[:3], figures[3:])
    return [row for row in rows.values() if row[1][0] or row[2][0]]


def draw(rows):
    """The picture."""
    values = [value for _, ours, theirs in rows for value in ours + theirs if value]
    least = math.floor(math.log10(min(values)))
    most = math.ceil(math.log10(max(values)))

    def x(value):
        return LEFT + WIDTH * (math.log10(max(value, 1)) - least) / (most - least)

    height = TOP + ROW * len(rows) + 14
    total = LEFT + WIDTH + RIGHT
    out = ['<!-- SPDX-License-Identifier: GPL-2.0 -->',
           f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {height}" '
           f'font-family="sans-serif" font-size="11">',
           f'<rect width="{total}" height="{height}" fill="white"/>',
           '<text x="8" y="18" font-size="14">Guest instructions per operation</text>']
    for side, name in enumerate(("ubsoft", "rdma_rxe")):
        out.append(f'<rect x="{LEFT + 130 * side}" y="8" width="12" height="12" '
                   f'fill="{COLOURS[side]}"/>'
                   f'<text x="{LEFT + 130 * side + 18}" y="18">{name}</text>')
    for power in range(least, most + 1):
        at = x(10 ** power)
        out.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 6}" y2="{height - 8}" '
                   f'stroke="#ddd"/><text x="{at:.1f}" y="{TOP - 12}" fill="#666" '
                   f'text-anchor="middle">{10 ** power:,}</text>')
    for index, (title, ours, theirs) in enumerate(rows):
        top = TOP + ROW * index
        out.append(f'<text x="{LEFT - 8}" y="{top + 12}" text-anchor="end">{escape(title)}</text>')
        for side, (median, low, high) in enumerate((ours, theirs)):
            if not median:
                continue
            y = top + 1 + side * (BAR + 1)
            middle = y + BAR / 2
            out.append(f'<rect x="{LEFT}" y="{y}" width="{x(median) - LEFT:.1f}" '
                       f'height="{BAR}" fill="{COLOURS[side]}"/>'
                       f'<line x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{middle}" y2="{middle}" '
                       f'stroke="black" stroke-width="0.8"/>'
                       f'<text x="{x(high) + 5:.1f}" y="{y + BAR}" font-size="9">{median:,}'
                       f'{times(ours, theirs) if side else ""}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def times(ours, theirs):
    """How many times as much rdma_rxe takes."""
    return f" ({theirs[0] / ours[0]:.1f} x)" if ours[0] and theirs[0] else ""


def main():
    console, svg = sys.argv[1:]
    rows = read(console)
    if not rows:
        sys.exit(f"{console} has no figures")
    with open(svg, "w", encoding="utf-8") as file:
        file.write(draw(rows))


if __name__ == "__main__":
    main()
