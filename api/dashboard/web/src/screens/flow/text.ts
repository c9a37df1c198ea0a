// Texts about flows.
import { percent } from '../../core/format.ts'
import { flowWords } from '../../text/flow.ts'
import type { Change } from './edit.ts'

export function changeText(c: Change): string {
  switch (c.kind) {
    case 'added':
      return flowWords.added(c.path)
    case 'removed':
      return flowWords.removed(c.path)
    case 'order':
      return flowWords.reordered
    case 'weight':
      return flowWords.weighed(c.of || c.path, c.from, c.to)
    case 'field':
      return flowWords.changed(c.path, flowWords.fields[c.field] ?? c.field)
  }
}

export const shareText = (s: number | null) => (s === null ? '' : percent(s * 100, s > 0 && s < 0.1 ? 1 : 0))
