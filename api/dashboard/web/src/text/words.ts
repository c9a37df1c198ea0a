// What the texts of every language are made with. It imports nothing: the texts are loaded before anything that shows them.

// counted puts a number before the form of a word that the language has for it.
export const counted = (language: string) => {
  const plural = new Intl.PluralRules(language)
  return (n: number, one: string, other: string, shown = String(n)) => `${shown} ${plural.select(n) === 'one' ? one : other}`
}

// named are texts that are found by a word of the service. Another language lacks none of them; words of a newer service
// have no text.
export const named = <K extends string, V>(of: Record<K, V>) => of as Record<K, V> & Record<string, V>
