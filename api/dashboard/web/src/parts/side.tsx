import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { openGroups, readFolds, storeFolds } from '../core/fold.ts'
import { onResize } from '../core/resize.ts'
import { Icon, type IconName } from './icons.tsx'

// A SideGroup shows its badges at its heading while it is folded.
export type SideGroup = {
  id: string
  name: string
  icon: IconName
  rows: number
  here: boolean
  links: ComponentChildren
  badges: ComponentChildren
}

// useFits returns how many links of groups have room in the list. The headings of the groups, and the links that belong to no
// group, take room first.
function useFits(headings: number, always: number) {
  const box = useRef<HTMLDivElement>(null),
    [fits, setFits] = useState(99)
  useLayoutEffect(() => {
    const el = box.current!
    const measure = () => {
      const row = el.querySelector('a')?.offsetHeight ?? 0,
        heading = el.querySelector('button')?.offsetHeight ?? 0
      if (row) setFits(Math.floor((el.clientHeight - headings * heading - 10) / row) - always)
    }
    measure()
    return onResize(el, measure)
  }, [headings, always])
  return { box, fits }
}

// SideList shows the navigation at the side: `first` on top, and the groups of links below it. A person can open and fold each
// group, except the group of the current screen, which is always open.
export function SideList({ first, always, groups }: { first: ComponentChildren; always: number; groups: SideGroup[] }) {
  const { box, fits } = useFits(groups.length, always),
    [chosen, setChosen] = useState(readFolds),
    current = groups.find(g => g.here)?.id ?? '',
    open = openGroups(groups, current, chosen, fits)
  useLayoutEffect(() => {
    box.current!.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  })
  const turn = (id: string) => {
    const next = { ...chosen, [id]: !open.has(id) }
    setChosen(next)
    storeFolds(next)
  }
  return (
    <div class="rooms-list" ref={box}>
      {first}
      {groups.map(g => (
        <div key={g.id} role="group" aria-label={g.name}>
          <button type="button" class="fold" title={g.name} aria-expanded={open.has(g.id)} disabled={g.here} onClick={() => turn(g.id)}>
            <span class="sign">
              <Icon name={g.icon} />
            </span>
            {g.name}
            {!open.has(g.id) && g.badges}
            <Icon name={open.has(g.id) ? 'down' : 'right'} />
          </button>
          <div hidden={!open.has(g.id)}>{g.links}</div>
        </div>
      ))}
    </div>
  )
}
