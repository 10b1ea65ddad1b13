"""The style sheet of the report page."""

STYLE = """
:root { --paper:#ffffff; --ink:#1f2328; --muted:#656d76; --grid:#d8dee4; --panel:#f6f8fa; --link:#0057a8;
  --blue:#0072b2; --vermilion:#d55e00; --green:#009e73; --purple:#cc79a7; --orange:#e69f00; --sky:#56b4e9;
  --good:#00694c; --bad:#b04300; --unsure:#7a5b00; }
@media (prefers-color-scheme: dark) { :root { --paper:#14171b; --ink:#e6e9ed; --muted:#9aa4b0; --grid:#363d46;
  --panel:#1d2228; --link:#79bdf5; --blue:#5fb8ee; --vermilion:#ff9a57; --green:#4fd3a8; --purple:#e6a5c8;
  --orange:#f2bf4e; --sky:#9ad5f7; --good:#5ad8ae; --bad:#ff9a57; --unsure:#f2cf73; } }
* { box-sizing: border-box; }
body { margin:0; background:var(--paper); color:var(--ink);
  font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif; }
main { max-width:1180px; margin:0 auto; padding:28px 24px 64px; }
h1 { font-size:1.9rem; line-height:1.2; margin:0 0 .3rem; }
h2 { font-size:1.35rem; margin:2.6rem 0 .6rem; padding-top:.5rem; border-top:1px solid var(--grid); }
h3 { font-size:1.05rem; margin:0 0 .4rem; }
p { max-width:78ch; margin:.5rem 0; }
.question { font-size:1.15rem; color:var(--muted); }
.note { color:var(--muted); font-size:.9rem; }
.warning { border-left:4px solid var(--bad); background:var(--panel); padding:.5rem .9rem; }
a { color:var(--link); }
nav { margin:1.1rem 0 0; display:flex; flex-wrap:wrap; gap:.3rem 1.1rem; font-size:.92rem; }
.tiles { display:grid; grid-template-columns:repeat(auto-fit,minmax(150px,1fr)); gap:12px; margin:1.3rem 0; }
.tiles div { background:var(--panel); border-radius:8px; padding:.7rem .9rem; }
.tiles strong { display:block; font-size:1.45rem; font-variant-numeric:tabular-nums; line-height:1.25; }
.tiles span { color:var(--muted); font-size:.85rem; }
.scroll { overflow-x:auto; margin:.8rem 0; }
table { border-collapse:collapse; font-size:.84rem; font-variant-numeric:tabular-nums; width:100%; }
th, td { text-align:right; padding:.28rem .55rem; border-bottom:1px solid var(--grid); white-space:nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align:left; }
td.text, th.text { text-align:left; white-space:normal; }
thead th { color:var(--muted); font-weight:600; vertical-align:bottom; white-space:normal; }
tr.group th { text-align:left; background:var(--panel); }
td.holds { color:var(--good); } td.fails { color:var(--bad); font-weight:600; }
td.open { color:var(--unsure); } td.vacuous { color:var(--muted); }
figure { margin:1.6rem 0 2.2rem; }
figure svg { width:100%; height:auto; display:block; }
figure svg text { font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",Arial,sans-serif
  !important; }
figcaption { color:var(--muted); font-size:.88rem; max-width:100ch; margin-top:.4rem; }
dl { display:grid; grid-template-columns:max-content 1fr; gap:.25rem 1.2rem; font-size:.92rem;
  margin:.8rem 0; }
dt { color:var(--muted); } dd { margin:0; overflow-wrap:anywhere; }
code, pre { font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace; font-size:.88em; }
pre { background:var(--panel); border-radius:8px; padding:.7rem .9rem; overflow-x:auto; }
@media (max-width:640px) { main { padding:18px 14px 40px; }
  dl { grid-template-columns:1fr; } dd { margin-bottom:.4rem; } }
@media print { body { font-size:10.5pt; } main { max-width:none; padding:0; } nav { display:none; }
  figure, tr { break-inside:avoid; } h2 { break-after:avoid; } .scroll { overflow:visible; }
  table { font-size:7.5pt; }
  th, td { padding:.15rem .3rem; } }
"""
