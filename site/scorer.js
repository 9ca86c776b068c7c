/* Which result of a search comes first. Sphinx gives nearly all pages that have the words the same score, and then
 * sorts them by name. Here a page comes first whose title has the words, or the question that leads to it on a first
 * page of its folder: `questions`, which build.py writes in front of this. */

/* Words of questions that tell nothing about what is asked. */
stopwords.push("can", "did", "do", "does", "how", "i", "make", "many", "much", "my", "what", "when", "where",
               "which", "whose", "why", "would");

/* Guides come before references, and these before pages that are made from the catalogue. */
const weights = [
    [/^docs\/how-to\/(README|add-)/, -2],
    [/^docs\/how-to\//, 6],
    [/^docs\/tutorial\//, 4],
    [/^docs\/reference\//, 2],
    [/^docs\/explanation\/validation/, -8],
    [/^docs\/explanation\//, 0],
    [/^README/, -1],
    [/^manual\/boxscore-(skl|ivbep|nhmex|p6)-/, -6],
    [/^manual\//, -8],
    [/./, -4],
];
const stemmer = new Stemmer();

function stems(text) {
    const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
    return words.filter((word) => !stopwords.includes(word)).map((word) => stemmer.stemWord(word));
}

var Scorer = {
    score: (result) => {
        const [page, title, , , score] = result;
        const section = title.includes(" > ");
        if (!section)
            result[2] = ""; // a page's own title leads to the page, so that it is listed once
        const asked = stems(new URLSearchParams(window.location.search).get("q") || "");
        const titled = new Set(stems(title)), told = new Set(stems(questions[page] || ""));
        const of = (words) => asked.filter((word) => words.has(word)).length / Math.max(asked.length, 1);
        const both = new Set([...titled, ...told]);
        const filled = [...titled].filter((word) => asked.includes(word)).length / Math.max(titled.size, 1);
        return Math.min(score, 15) + 30 * of(both) + 10 * of(titled) + 10 * filled - (section ? 10 : 0) +
            weights.find(([pages]) => pages.test(page))[1];
    },
    objNameMatch: 11,
    objPartialMatch: 6,
    objPrio: { 0: 15, 1: 5, 2: -5 },
    objPrioDefault: 0,
    title: 15,
    partialTitle: 7,
    term: 5,
    partialTerm: 2,
};
