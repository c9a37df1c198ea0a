// The text of a change to a flow.
import { t } from '../core/text.ts'
import type { Change } from './edit.ts'

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
