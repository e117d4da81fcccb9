"""How reports look: the colours and the style sheet.

The series colours are those of Okabe and Ito (2008), which people with any kind of colour vision can tell
apart; on a dark background the darker ones are exchanged for lighter ones. Drawings name them as CSS
variables, so that they follow the reader's light or dark setting.
"""

from __future__ import annotations

__all__ = ["FAINT", "INK", "SERIES", "STYLE", "VARIABLES"]

INK, FAINT = "#1f2329", "#c9ced6"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_DARK_SERIES = ("#56b4e9", "#f0803c", "#2fc39a", "#dd9fc3", "#f2b632", "#8fcdf0")

#: What each colour of a drawing becomes within a page.
VARIABLES = {INK: "var(--ink)", FAINT: "var(--faint)"} | {
    colour: f"var(--series-{place})" for place, colour in enumerate(SERIES, 1)
}


def _series(colours: tuple[str, ...]) -> str:
    return "".join(f"--series-{place}: {colour}; " for place, colour in enumerate(colours, 1))


STYLE = f"""
:root {{ --ink: {INK}; --quiet: #565e6a; --faint: {FAINT}; --page: #f6f7f9; --sheet: #ffffff;
  --shade: #f0f2f5; --good: #00694d; --good-back: #e6f4ef; --warning: #8f3b00; --warning-back: #fdf0e6;
  {_series(SERIES)} }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6e9ee; --quiet: #a7b0bc; --faint: #454d59;
  --page: #0f1216; --sheet: #181c22; --shade: #20262e; --good: #6fe0b8; --good-back: #12302a;
  --warning: #ffb27d; --warning-back: #3a2415; {_series(_DARK_SERIES)} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }}
main {{ max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem; }}
header {{ margin-bottom: 2rem; }}
h1 {{ font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; letter-spacing: -.01em; }}
h2 {{ font-size: 1.25rem; margin: 0 0 .75rem; }}
p {{ margin: 0 0 .9rem; max-width: 46rem; }}
.subtitle {{ color: var(--quiet); font-size: 1.1rem; margin: 0; }}
section {{ background: var(--sheet); border: 1px solid var(--faint); border-radius: 10px;
  padding: 1.5rem 1.75rem; margin-bottom: 1.25rem; }}
section > :last-child {{ margin-bottom: 0; }}
.note {{ max-width: none; padding: .7rem 1rem; border-left: 4px solid var(--series-1);
  background: var(--shade); border-radius: 4px; }}
.note.good {{ border-color: var(--good); background: var(--good-back); color: var(--good); }}
.note.warning {{ border-color: var(--warning); background: var(--warning-back); color: var(--warning); }}
.label {{ color: var(--quiet); font-size: .85rem; margin: 0 0 .3rem; }}
pre {{ background: var(--shade); border-radius: 6px; padding: .9rem 1rem; overflow-x: auto;
  font: .82rem/1.5 ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; margin: 0 0 1rem; }}
pre.prose {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.scroll {{ overflow-x: auto; margin: 0 0 1.2rem; }}
table {{ border-collapse: collapse; width: 100%; font-size: .92rem; }}
caption {{ text-align: left; color: var(--quiet); font-size: .88rem; padding-bottom: .4rem; }}
th {{ text-align: left; font-weight: 600; padding: .4rem .9rem .4rem 0;
  border-bottom: 2px solid var(--faint); }}
td {{ border-bottom: 1px solid var(--faint); padding: .4rem .9rem .4rem 0; vertical-align: top; }}
th.number, td.number {{ text-align: right; font-variant-numeric: tabular-nums; padding-right: 2rem; }}
figure {{ margin: 0 0 1.2rem; }}
figure .scroll {{ margin: 0; }}
figure svg {{ display: block; width: 100%; height: auto; min-width: 22rem; max-width: 46rem; }}
summary {{ cursor: pointer; color: var(--quiet); font-size: .88rem; }}
details {{ margin: 0 0 1.2rem; }}
details[open] summary {{ margin-bottom: .6rem; }}
figcaption {{ color: var(--quiet); font-size: .88rem; margin-top: .4rem; max-width: 46rem; }}
footer {{ color: var(--quiet); font-size: .85rem; text-align: center; padding: .5rem; }}
@media (max-width: 32rem) {{ main {{ padding: 1.5rem .75rem; }} section {{ padding: 1.1rem 1rem; }}
  h1 {{ font-size: 1.6rem; }} }}
@media print {{ body {{ background: none; }} section {{ break-inside: avoid; }} }}
"""
