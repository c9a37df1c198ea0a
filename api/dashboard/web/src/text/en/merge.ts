// The English of edits that meet the edits of somebody else.
export const words = {
  title: 'Somebody else has saved this meanwhile. Nothing of yours is saved yet. Save again to keep your values, or take theirs.',
  theirs: (field: string, value: string) => `${field}, theirs: ${value}`,
  empty: 'empty',
  take: 'Take theirs',
}
