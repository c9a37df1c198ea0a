// Which groups of the navigation are open.

export type Group = { id: string; rows: number }

// openGroups returns the groups that are open. The group of the current screen is always open, and so are the groups that the person
// has opened. The other groups follow in their order: a group is opened if all open groups then have at most `fits` links.
// A group that the person has folded is open only while one of its screens is shown.
export function openGroups(groups: Group[], current: string, chosen: Record<string, boolean>, fits: number): Set<string> {
  const open = new Set(groups.filter(g => g.id === current || chosen[g.id]).map(g => g.id))
  let left = groups.filter(g => open.has(g.id)).reduce((n, g) => n - g.rows, fits)
  for (const g of groups) {
    if (open.has(g.id) || chosen[g.id] === false || g.rows > left) continue
    open.add(g.id)
    left -= g.rows
  }
  return open
}

const name = 'folds'
// readFolds returns what the person has opened or folded in this browser.
export function readFolds(): Record<string, boolean> {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '{}') as Record<string, boolean>
  } catch {
    return {}
  }
}
export const storeFolds = (chosen: Record<string, boolean>) => localStorage.setItem(name, JSON.stringify(chosen))
