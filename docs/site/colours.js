'use strict';
// Blocks of NESL, Remora and VCODE in the colours of editors and of the playground. `grammars` stands in front.
for (const [language, grammar] of Object.entries(grammars)) {
  const rules = compileGrammar(grammar);
  for (const block of document.querySelectorAll(`code.language-${language}`)) {
    const text = block.textContent, whole = document.createDocumentFragment();
    let place = 0;
    for (const {from, to, kind} of highlight(rules, text)) {
      if (from < place) continue;
      const span = document.createElement('span');
      span.className = kind;
      span.textContent = text.slice(from, to);
      whole.append(text.slice(place, from), span);
      place = to;
    }
    whole.append(text.slice(place));
    block.replaceChildren(whole);
  }
}
