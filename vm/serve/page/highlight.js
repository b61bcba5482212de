'use strict';
// Colours by a grammar of TextMate, as editors have it: rules that match, with captures, and rules from a begin to an end.

function compileGrammar(grammar) {
  const expression = (text) => {
    const folded = text.startsWith('(?i)');
    return new RegExp(folded ? text.slice(4) : text, folded ? 'gim' : 'gm');
  };
  const rule = (r) => ({
    name: r.name, captures: r.captures,
    match: expression(r.match ?? r.begin), end: r.end === undefined ? undefined : expression(r.end),
    patterns: (r.patterns ?? []).map(rule),
  });
  return grammar.patterns.map(rule);
}

// What is found of a rule from a place on; of several rules the first match counts, the first rule where two are equal.
function nextMatch(rules, text, from) {
  let best = null;
  for (const rule of rules) {
    if (rule.at === undefined || rule.text !== text || rule.from > from || (rule.at !== null && rule.at.index < from)) {
      rule.match.lastIndex = from;
      Object.assign(rule, {text, from, at: rule.match.exec(text)});
    }
    if (rule.at !== null && (best === null || rule.at.index < best.at.index)) best = {rule, at: rule.at};
  }
  return best;
}

// Pieces of the text in order: {from, to, kind}, kind being the first word of a scope's name.
function highlight(rules, text) {
  const pieces = [];
  const add = (from, to, name) => {
    if (to > from && name) pieces.push({from, to, kind: name.split('.')[0]});
  };
  let place = 0;
  while (place < text.length) {
    const found = nextMatch(rules, text, place);
    if (found === null) break;
    const {rule, at} = found;
    const begin = at.index, after = begin + at[0].length;
    if (rule.end !== undefined) {
      let inside = after;
      let end = null;
      for (;;) {
        rule.end.lastIndex = inside;
        end = rule.end.exec(text);
        const inner = nextMatch(rule.patterns, text, inside);
        if (inner === null || (end !== null && end.index <= inner.at.index)) break;
        inside = inner.at.index + Math.max(1, inner.at[0].length);
      }
      place = end === null ? text.length : end.index + Math.max(1, end[0].length);
      add(begin, place, rule.name);
      continue;
    }
    if (rule.captures) {
      let from = begin;
      for (const [number, {name}] of Object.entries(rule.captures)) {
        const part = at[Number(number)];
        if (part === undefined) continue;
        const where = text.indexOf(part, from);
        add(where, where + part.length, name);
        from = where + part.length;
      }
    } else {
      add(begin, after, rule.name);
    }
    place = Math.max(after, begin + 1);
  }
  return pieces;
}
