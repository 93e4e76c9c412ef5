"""The style of HTML reports: light, dark and for paper, without anything to load."""

STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1d2330; --dim: #5b6472; --line: #d5dae1; --ground: #ffffff; --card: #f6f7f9; --focus: #2b5fb0;
  --mark: #fff1b8; --met: #1d7a3e; --partly: #8a6100; --unmet: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e7ec; --dim: #9aa4b2; --line: #343b46; --ground: #16191f; --card: #1d2128; --focus: #8ab4f8;
    --mark: #4d4212; --met: #7fd394; --partly: #e5c04d; --unmet: #ff8f85;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
}
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .35rem; }
p { margin: .4rem 0; }
a { color: var(--focus); text-decoration-thickness: 1px; text-underline-offset: 2px; }
.dim { color: var(--dim); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.turn { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .9rem; margin: .5rem 0; }
.turn > .role { color: var(--dim); font-size: .85rem; }
.answer { background: var(--card); border-radius: 6px; padding: .8rem 1rem; margin: .5rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .92rem; }
caption { text-align: left; color: var(--dim); padding-bottom: .3rem; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--dim); font-weight: 600; vertical-align: bottom; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tfoot td, .total td, .total th { font-weight: 600; }
.met { color: var(--met); } .partly { color: var(--partly); } .unmet { color: var(--unmet); }
mark { background: var(--mark); color: inherit; border-radius: 2px; }
sup { color: var(--dim); font-size: .7em; padding-left: 1px; }
details { margin: .6rem 0; }
summary { cursor: pointer; padding: .3rem 0; }
summary strong { font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { font-weight: 600; } dd { margin: 0; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--dim); font-size: .9rem; }
@media print {
  :root {
    --ink: #000; --dim: #444; --line: #bbb; --ground: #fff; --card: #fff; --focus: #000; --mark: #eee;
    --met: #000; --partly: #000; --unmet: #000;
  }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  .answer { border: 1px solid var(--line); }
  mark { text-decoration: underline; }
  h2, h3, summary { break-after: avoid; }
  tr, .turn { break-inside: avoid; }
}
"""
