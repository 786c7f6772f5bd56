# SPDX-License-Identifier: BSL-1.0
"""Draws an SVG: measurements relative to their goals, and the latency of calls in restarts."""
import math
from xml.sax.saxutils import escape

WIDTH = 1000
LEFT = 320  # of the plots; names are left of it
RIGHT = 840  # numbers are right of it
ROW = 26
GOOD, BAD, QUIET, RESTARTING, GREY = "#2a7f62", "#b3452c", "#5b7fa6", "#b3452c", "#8a8a8a"
DECADES = (-3, 2)  # the range of shares of goals


def text(x, y, words, anchor="start", size=13, colour="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{colour}" stroke="#fff" stroke-width="3" paint-order="stroke">'
            f'{escape(words)}</text>')


def line(x1, y1, x2, y2, colour=GREY, width=1, dashes=""):
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"{dash}/>')


def share_of_goal(row):
    """Returns 1 at the goal, and less if it is better, also if the goal is a minimum."""
    return row["goal"] / row["measured"] if row.get("at_least") else row["measured"] / row["goal"]


def goals(rows, format_cell, top):
    first, last = DECADES

    def place(share):
        exponent = math.log10(share) if share > 0 else first
        return LEFT + (RIGHT - LEFT) * (min(max(exponent, first), last) - first) / (last - first)

    bottom = top + 40 + ROW * len(rows)
    yield text(20, top + 16, "Measured against the goals", size=16)
    for exponent in range(first, last + 1):
        at = place(10**exponent)
        yield line(at, top + 36, at, bottom, "#ddd")
        yield text(at, bottom + 18, f"{10**exponent:g}", "middle", 12)
    yield text((LEFT + RIGHT) / 2, bottom + 38,
               "share of the goal, logarithmic: left of the line is better", "middle", 12)
    yield line(place(1), top + 32, place(1), bottom, "#222", 2)
    for number, row in enumerate(rows):
        y = top + 40 + ROW * number
        share = share_of_goal(row)
        colour = GOOD if share <= 1 else BAD
        yield text(LEFT - 10, y + 16, row["what"], "end")
        yield (f'<rect x="{LEFT}" y="{y + 4}" width="{place(share) - LEFT:.1f}" '
               f'height="{ROW - 8}" fill="{colour}"/>')
        yield text(max(place(share), LEFT) + 6, y + 16,
                   f"{format_cell(row, 'measured')} of {format_cell(row, 'goal')}", size=12)


def percentiles(latency, top):
    """Plots the latency of calls over the percentile, with and without restarts."""
    names = list(latency["none"]["percentiles"])
    height = 220
    bottom = top + 40 + height
    values = [max(1, value) for run in ("none", "restarting")
              for value in latency[run]["percentiles"].values()]
    first = math.floor(math.log10(min(values)))
    last = math.ceil(math.log10(max(values)))

    def point(index, value):
        share = (math.log10(max(1, value)) - first) / (last - first)
        return LEFT + (RIGHT - LEFT) * index / (len(names) - 1), bottom - height * share

    yield text(20, top + 16, "Latency of a call with and without 100 restarts of its module per second",
               size=16)
    for exponent in range(first, last + 1):
        y = point(0, 10**exponent)[1]
        yield line(LEFT, y, RIGHT, y, "#ddd")
        unit, power = [("ns", 0), ("us", 3), ("ms", 6), ("s", 9)][exponent // 3]
        yield text(LEFT - 10, y + 4, f"{10**(exponent - power)} {unit}", "end", 12)
    for index, name in enumerate(names):
        yield text(point(index, 1)[0], bottom + 18, "longest" if name == "100" else f"{name} %",
                   "middle", 12)
    yield text((LEFT + RIGHT) / 2, bottom + 38, "percentile of the calls", "middle", 12)
    for run, label, colour, dashes in [("none", "no restarts", QUIET, ""),
                                       ("restarting", "100 restarts per second", RESTARTING, "6 4")]:
        points = [point(index, latency[run]["percentiles"][name])
                  for index, name in enumerate(names)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield (f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
               f'stroke-dasharray="{dashes}"/>')
        y = top + 60 + (0 if run == "none" else 20)
        yield line(LEFT + 14, y - 4, LEFT + 44, y - 4, colour, 2, dashes)
        yield text(LEFT + 52, y, label, size=12)


def draw(rows, latency, format_cell):
    """Returns the SVG. `format_cell(row, key)` formats a number of a row."""
    with_goals = [row for row in rows if row.get("goal")]
    second = 130 + ROW * len(with_goals)
    height = second + 320
    parts = [*goals(with_goals, format_cell, 20), *percentiles(latency, second)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'font-family="sans-serif">\n<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n' +
            "\n".join(parts) + "\n</svg>\n")
