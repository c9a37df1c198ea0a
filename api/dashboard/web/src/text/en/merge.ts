// The English texts for edits of one record at the same time, by two people or in two tabs.
export const words = {
  title:
    'This was changed elsewhere since you opened it: by another person or in another tab. Nothing of yours is saved yet. Save again to keep your values, or take the saved ones.',
  theirs: (field: string, value: string) => `${field}, saved elsewhere: ${value}`,
  empty: 'empty',
  take: 'Take the saved value',
}
