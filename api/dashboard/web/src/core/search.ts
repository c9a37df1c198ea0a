// Finds names by what a person types, even if it has small mistakes.

// distance returns the least number of letters to insert, remove, replace or swap with their neighbour to make one word of the
// other. `most` is the greatest distance that the caller needs.
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = [],
    last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let n = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) n = Math.min(n, before[j - 2]! + 1)
      row.push(n)
    }
    before = last
    last = row
  }
  return last[b.length]!
}

// mistakes is the number of mistakes that a word may have.
const mistakes = (word: string) => (word.length < 4 ? 0 : word.length < 8 ? 1 : 2)

// near reports whether the typed word, with small mistakes, is the beginning of one of the words, or of two neighbouring words
// written as one. "sweepwell" is near "Sweeps WELLness".
function near(word: string, words: string[]): boolean {
  const most = mistakes(word)
  if (!most) return false
  return words.some((w, i) =>
    [w, w + (words[i + 1] ?? '')].some(text =>
      [0, -1, 1, -2, 2].some(by => distance(word, text.slice(0, Math.max(1, word.length + by)), most) <= most),
    ),
  )
}

// rankOf returns how well a name fits what is typed. `more` has further words of the name. The rank is 0 if one of the typed
// words is neither in the name nor in `more`, not even with small mistakes.
export function rankOf(typed: string, name: string, more = ''): number {
  const lower = name.toLowerCase(),
    all = lower + ' ' + more.toLowerCase(),
    words = all.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  let rank = 1
  for (const w of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    if (lower.startsWith(w)) rank += 5
    else if ((' ' + lower).includes(' ' + w)) rank += 3
    else if (all.includes(w)) rank += 1
    else if (!near(w, words)) return 0
    else rank += 0.1
  }
  return rank
}

// fitOf returns how well a text fits what is typed: 3 if they are equal, 2 if the text contains what is typed as whole words, 1
// if the text begins with it, else 0. "sub 1" fits "zoneid (Sub 1)" better than "Sub 10".
function fitOf(typed: string, text: string): number {
  const lower = text.toLowerCase(),
    inWord = /[\p{L}\p{N}]/u
  if (lower === typed) return 3
  for (let at = lower.indexOf(typed); at >= 0; at = lower.indexOf(typed, at + 1))
    if (!inWord.test(lower[at - 1] ?? '') && !inWord.test(lower[at + typed.length] ?? '')) return 2
  return Number(lower.startsWith(typed))
}

// bestFirst sorts a list by how well the text of each value fits what is typed.
export const bestFirst = <T>(list: T[], typed: string, text: (v: T) => string): T[] =>
  typed ? list.toSorted((a, b) => fitOf(typed, text(b)) - fitOf(typed, text(a))) : list
