// Joins the edits of a person with what another person has saved since.

export type Fields = Record<string, unknown>
// Conflict is a field that both people have changed to different values.
export type Conflict = { name: string; theirs: unknown }

export const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

// merge returns the fields with the edits of both sides. `base` is what the edits began with. A field that both sides have
// changed keeps the edit in `mine`, and is a conflict unless the values are the same. `changed` are the fields that differ from
// `theirs`.
export function merge(base: Fields, mine: Fields, theirs: Fields) {
  const joined: Fields = { ...mine },
    conflicts: Conflict[] = []
  for (const [name, now] of Object.entries(theirs)) {
    if (isSame(mine[name], base[name])) joined[name] = now
    else if (!isSame(now, base[name]) && !isSame(now, mine[name])) conflicts.push({ name, theirs: now })
  }
  return { joined, conflicts }
}
