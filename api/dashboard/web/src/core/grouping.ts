// How the report of one campaign is grouped when it opens from the campaign.

const name = 'grouping',
  usual = 'country,device_type'
const placement = /zone|placement|widget|publisher|site|spot|target|^src|source/i
const isSub = (dimension: string) => /^sub\d+$/.test(dimension)

// placementOf finds the sub-parameter that says where an ad was shown, by the names of a campaign's sub-parameters.
export const placementOf = (names: Record<string, string>): string | undefined =>
  Object.keys(names)
    .sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)))
    .find(sub => placement.test(names[sub]!))

// groupingOf returns the grouping of a campaign's report: the grouping that the person used last, if the campaign has all
// sub-parameters in it, or else the placement or the usual grouping.
export function groupingOf(names: Record<string, string>, last = readGrouping()): string {
  const known = last && last.split(',').every(d => !isSub(d) || names[d])
  return known ? last : (placementOf(names) ?? usual)
}

const readGrouping = () => localStorage.getItem(name) ?? ''
export const storeGrouping = (group: string[]) => localStorage.setItem(name, group.join())
