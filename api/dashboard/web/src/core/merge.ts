// Merges the edits of a person with what another person has saved since.

export type Fields = Record<string, unknown>
// Conflict is a field that both people have changed to different values.
export type Conflict = { name: string; theirs: unknown }

export const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

// merge returns the fields with the edits of both sides. `base` has the fields before both edits. A field that both sides have
// changed keeps the value of `mine`, and is a conflict unless both values are the same.
export function merge(base: Fields, mine: Fields, theirs: Fields) {
  const joined: Fields = { ...mine },
    conflicts: Conflict[] = []
  for (const [name, now] of Object.entries(theirs)) {
    if (isSame(mine[name], base[name])) joined[name] = now
    else if (!isSame(now, base[name]) && !isSame(now, mine[name])) conflicts.push({ name, theirs: now })
  }
  return { joined, conflicts }
}
