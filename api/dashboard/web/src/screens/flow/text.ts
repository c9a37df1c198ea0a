// Texts about flows.
import { percent } from '../../core/format.ts'
import { t } from '../../core/text.ts'
import type { Change } from './edit.ts'

// changeText describes a change to a flow.
export function changeText(c: Change): string {
  switch (c.kind) {
    case 'added':
      return t.flow.added(c.path)
    case 'removed':
      return t.flow.removed(c.path)
    case 'order':
      return t.flow.reordered
    case 'weight':
      return t.flow.weighed(c.of || c.path, c.from, c.to)
    case 'field':
      return t.flow.changed(c.path, t.flow.fields[c.field] ?? c.field)
  }
}

// shareText returns a share of the visitors in percent.
export const shareText = (s: number | null) => (s === null ? '' : percent(s * 100, s > 0 && s < 0.1 ? 1 : 0))
