// Styles of /docs, light and dark: one column on a phone, the table of contents beside it on a desktop.

export const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #ffffff; --line: #dde2e9;
  --shade: #f4f6f9; --link: #0b5cad; --get: #0a6b4f; --post: #0b5cad; --put: #8a5a00; --patch: #6b3fa0; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa6b6; --paper: #12161c; --line: #2b323c;
  --shade: #1a2029; --link: #7db8ff; --get: #5fd0a8; --post: #7db8ff; --put: #e5b567; --patch: #c3a1ff; --delete: #ff8a80; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .875em; overflow-wrap: anywhere; }
header, main, nav { padding: 1rem 1.25rem; max-width: 60rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: .5rem 0; letter-spacing: -.01em; }
h2 { font-size: 1.4rem; margin: 3rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2.5rem 0 .25rem; overflow-wrap: anywhere; }
h4 { font-size: .875rem; margin: 1.25rem 0 .35rem; color: var(--soft); font-weight: 600; }
p { margin: .35rem 0 .75rem; max-width: 44rem; }
.method { display: inline-block; min-width: 3.6em; font: 700 .8rem ui-monospace, Menlo, Consolas, monospace; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; font-size: .875rem; }
nav li a { display: flex; gap: .5rem; padding: .2rem 0; text-decoration: none; color: inherit; overflow-wrap: anywhere; }
nav li code { min-width: 0; }
nav li a:hover { text-decoration: underline; }
nav h2 { font-size: .875rem; margin: 1rem 0 .25rem; padding: 0; border: 0; }
dl { margin: 0; border-top: 1px solid var(--line); }
dl > div { padding: .5rem 0; border-bottom: 1px solid var(--line); }
dt { overflow-wrap: anywhere; } dt span { color: var(--soft); font-size: .8125rem; margin-left: .4rem; }
dt .required { color: var(--delete); }
dd { margin: .1rem 0 0; color: var(--soft); font-size: .9375rem; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; margin: .35rem 0;
  white-space: pre-wrap; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .35rem 0; }
summary { cursor: pointer; padding: .5rem .75rem; font-size: .9375rem; }
summary b { margin-right: .5rem; font-variant-numeric: tabular-nums; }
details > :not(summary) { margin-left: .75rem; margin-right: .75rem; }
details > :last-child:not(summary) { margin-bottom: .75rem; }
.trail { color: var(--soft); font-size: .875rem; margin: 0; }
nav .guides ul { margin: 0 0 .25rem; padding-left: .9rem; border-left: 1px solid var(--line); }
nav .guides code { font-size: 1em; }
nav a[aria-current] { font-weight: 600; color: var(--link); }
main li { margin: .2rem 0; max-width: 44rem; }
.anchor { color: var(--soft); font-weight: 400; text-decoration: none; opacity: 0; }
.anchor:focus-visible, :is(h2, h3):hover .anchor { opacity: 1; }
.table { overflow-x: auto; margin: .5rem 0 1rem; }
table { border-collapse: collapse; font-size: .9375rem; min-width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-size: .8125rem; }
td code { white-space: nowrap; }
main h2 { overflow-wrap: anywhere; }
figure { margin: .75rem 0; max-width: 52rem; }
figcaption { color: var(--soft); font-size: .75rem; }
figure pre { margin: .15rem 0; overflow-x: auto; white-space: pre; }
figure.answer { margin: -.25rem 0 1.25rem; } figure.answer pre { background: none; white-space: pre-wrap; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 21rem minmax(0, 1fr); grid-template-rows: auto 1fr; }
  header, main { grid-column: 2; }
  nav { grid-column: 1; grid-row: 1 / 3; position: sticky; top: 0; height: 100vh; overflow-y: auto; border-right: 1px solid var(--line);
    background: var(--shade); }
  header, main { padding-left: 2.5rem; padding-right: 2.5rem; }
  header { padding-bottom: 0; } main { padding-top: 0; }
}
/** On a phone only the contents of this page; the breadcrumb leads to the others. */
@media (max-width: 63.99rem) { .guides > li:not(:has([aria-current])) { display: none; } }
@media print { nav { display: none; } body { display: block; } }
`;
