// The English texts for edits that two people made at once.
export const words = {
  title:
    'Another person has saved this since you opened it. Nothing of yours is saved yet. Save again to keep your values, or take theirs.',
  theirs: (field: string, value: string) => `${field}, theirs: ${value}`,
  empty: 'empty',
  take: 'Take theirs',
}
