/** The style sheet of the page. All colors have a contrast of at least 4.5 to their background (WCAG 2.2, AA). */
export const STYLE = `
:root { color-scheme: light dark;
  --page: light-dark(#f6f7f9, #0e1116); --card: light-dark(#ffffff, #161a21); --inset: light-dark(#f3f4f7, #0f1319);
  --ink: light-dark(#161a1f, #e8eaed); --soft: light-dark(#565f6b, #9ca6b3); --line: light-dark(#e1e4e9, #2a313b);
  --accent: light-dark(#0a58a8, #79b8ff);
  --good: light-dark(#176f33, #56c777); --good-soft: light-dark(#e6f4ea, #12291b);
  --wait: light-dark(#835400, #e5b567); --wait-soft: light-dark(#fdf3dd, #2b2210);
  --bad: light-dark(#b3211a, #ff8b82); --bad-soft: light-dark(#fdebea, #331715);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace }
:root[data-theme=light] { color-scheme: light }
:root[data-theme=dark] { color-scheme: dark }
* { box-sizing: border-box }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', 'DejaVu Sans', sans-serif }
main, .top > div { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem }
main { padding-bottom: 5rem }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
a { color: var(--accent); text-underline-offset: .2em }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem; z-index: 3 }
.top { position: sticky; top: 0; z-index: 2; background: var(--card); border-bottom: 1px solid var(--line) }
.top > div { display: flex; align-items: center; gap: 1.25rem; min-height: 3.1rem; overflow-x: auto; white-space: nowrap }
.top b { font-weight: 600; margin-right: auto } .top nav { display: flex; gap: 1.1rem } .top a { color: var(--soft); text-decoration: none }
.top a:hover { color: var(--ink); text-decoration: underline }
button, select, input { font: inherit; color: inherit }
button { cursor: pointer; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .25rem .7rem; color: var(--soft) }
button:hover { color: var(--ink); border-color: var(--soft) }
button[aria-pressed=true] { background: var(--ink); border-color: var(--ink); color: var(--card) }
.hero { padding: 2.4rem 0 1.4rem } .hero p { color: var(--soft); margin: .5rem 0 0; max-width: 60rem }
h1 { font-size: clamp(1.5rem, 1.1rem + 1.8vw, 2.1rem); line-height: 1.2; letter-spacing: -.015em; margin: .6rem 0 0; font-weight: 650; text-wrap: balance }
h2 { font-size: 1.15rem; margin: 2.8rem 0 .2rem; font-weight: 650 } h2 small { color: var(--soft); font-weight: 400; font-size: .9rem; margin-left: .4rem }
h3 { font-size: 1rem; line-height: 1.4; margin: 0; font-weight: 600; overflow-wrap: anywhere }
.note { color: var(--soft); margin: .2rem 0 .9rem; max-width: 50rem }
.badge { display: inline-block; border-radius: 99px; padding: .1rem .6rem; font-size: .8rem; font-weight: 600; white-space: nowrap }
.good, .PROVEN { color: var(--good); background: var(--good-soft) } .wait, .STUB, .WAIVED, .WARNED, .REACH { color: var(--wait); background: var(--wait-soft) }
.bad, .LEFT, .UNPROVEN, .BLOCKED { color: var(--bad); background: var(--bad-soft) }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.2rem, 1fr)); gap: .75rem; margin: 0; padding: 0 }
.figures > div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .85rem 1rem }
.figures dt { color: var(--soft); font-size: .85rem } .figures dd { margin: 0; font-size: 1.45rem; line-height: 1.3; white-space: nowrap; font-weight: 650; font-variant-numeric: tabular-nums; letter-spacing: -.01em }
.figures dd.red { color: var(--bad) }
.bar { display: block; width: 100%; height: 8px; border-radius: 4px; margin: 1rem 0 0; background: var(--line) }
.bar .PROVEN { fill: var(--good) } .bar .STUB, .bar .WAIVED, .bar .WARNED { fill: var(--wait) } .bar .REACH { fill: var(--soft) } .bar .LEFT, .bar .UNPROVEN, .bar .BLOCKED { fill: var(--bad) }
.cause, .panel { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: .75rem 0 }
.cause { border-left: 4px solid var(--bad); padding: 1rem 1.1rem } .cause header { display: flex; gap: .8rem; align-items: baseline }
.wait-edge { border-left-color: var(--wait) } .cause .badge { font-variant-numeric: tabular-nums }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: .6rem 0 0; font-size: .9rem }
.facts dt { color: var(--soft) } .facts dd { margin: 0; overflow-wrap: anywhere }
code, pre { font-family: var(--mono); font-size: .85em }
.command { position: relative; margin: .7rem 0 0 }
pre { margin: 0; padding: .7rem .9rem; background: var(--inset); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 16rem; overflow-y: auto }
.command pre { padding-right: 5rem } .command button { position: absolute; top: .4rem; right: .4rem; font-size: .8rem; padding: .15rem .55rem }
details > summary { cursor: pointer; color: var(--soft) } details[open] > summary { margin-bottom: .6rem }
.list { margin: .5rem 0; padding: 0; list-style: none } .list li { border-top: 1px solid var(--line); padding: .5rem 1rem; overflow-wrap: anywhere } .list li:first-child { border: 0 }
.tools { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .6rem 0 } .tools output { color: var(--soft); margin-left: auto; font-variant-numeric: tabular-nums }
.tools label { display: contents } .tools span.name { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
input, select { border: 1px solid var(--line); border-radius: 6px; background: var(--card); padding: .3rem .7rem; max-width: 100% } input { flex: 1 1 14rem; min-width: 0 }
::placeholder { color: var(--soft); opacity: 1 }
.panel.scroll { overflow: auto; max-height: 75vh }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
caption { position: absolute; clip-path: inset(50%) }
th { position: sticky; top: 0; background: var(--card); text-align: left; font-weight: 600; white-space: nowrap; box-shadow: inset 0 -1px var(--line); padding: 0; z-index: 1 }
th button { all: unset; display: block; width: 100%; box-sizing: border-box; cursor: pointer; padding: .5rem .8rem; color: var(--soft) } th button:hover { color: var(--ink) }
th button::first-letter, td::before { text-transform: capitalize } th button:focus-visible { outline: 2px solid var(--accent); outline-offset: -3px }
th button::after { content: '\\2195'; opacity: .35; margin-left: .35rem } th[aria-sort=ascending] button::after { content: '\\2191'; opacity: 1 } th[aria-sort=descending] button::after { content: '\\2193'; opacity: 1 }
td { padding: .42rem .8rem; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere } tbody tr:first-child td { border-top: 0 }
td:first-child { white-space: nowrap } tbody tr:hover { background: var(--inset) }
td.number, th.number button { text-align: right } td.number { font-variant-numeric: tabular-nums; white-space: nowrap } td.zero { color: var(--soft) }
td.code { font-family: var(--mono); font-size: .82rem } [hidden] { display: none !important }
[data-script] table:not([data-ready]) tr:nth-child(n+301) { display: none }
footer { color: var(--soft); font-size: .85rem; margin-top: 3rem; overflow-wrap: anywhere }
@media screen and (max-width: 46rem) {
  main, .top > div { padding-inline: 1rem } .hero { padding-top: 1.4rem } .top nav { gap: .9rem }
  .figures { grid-template-columns: 1fr 1fr } .figures dd { font-size: 1.3rem }
  .cause header { flex-direction: column; gap: .4rem } .facts { grid-template-columns: 1fr } .facts dt { margin-top: .35rem }
  .panel.scroll { max-height: none; overflow: visible; background: none; border: 0 }
  table, tbody, tr, td { display: block } thead { display: none }
  tr { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; padding: .5rem .8rem }
  td, td:first-child { border: 0; padding: .1rem 0; display: grid; grid-template-columns: 6.2rem 1fr; gap: .6rem; white-space: normal; text-align: left }
  td.number { text-align: left; white-space: normal } td::before { content: attr(data-label); color: var(--soft); font-family: system-ui, sans-serif; font-size: .82rem }
  td:empty { display: none } td .badge { justify-self: start }
}
@media print {
  :root, :root[data-theme=dark] { color-scheme: light; --page: #fff; --inset: #fff } body { font-size: 10pt }
  .top, .tools, .command button, .skip { display: none } main { max-width: none; padding: 0 } .hero { padding-top: 0 }
  .panel.scroll, pre { max-height: none; overflow: visible } th { position: static } th button::after { content: '' }
  .cause, tr, .figures > div { break-inside: avoid } h2 { break-after: avoid } thead { display: table-header-group }
  * { print-color-adjust: exact } a { color: inherit; text-decoration: none }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
`;
