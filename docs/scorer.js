// Sphinx's scores of search results, with guides before names of the reference, above all those of C++, and examples of
// the gallery.
var Scorer = {
  score: ([page, , , , score]) => score - (page.startsWith("reference/headers/") ? 14 : page.startsWith("reference/") ? 4
    : /^(gallery\/|changelog)/.test(page) ? 1 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
