import type { ComponentChildren } from 'preact'
import { t } from '../core/text.ts'
import { Icon } from './icons.tsx'
import { Menu } from './menu.tsx'

type Props = { name: string; label: ComponentChildren; remove: () => void; children: (close: () => void) => ComponentChildren }

export const Chip = ({ name, label, remove, children }: Props) => (
  <span class="chip on">
    <Menu kind="chipname" name={name} label={label}>
      {children}
    </Menu>
    <button type="button" aria-label={t.reports.remove(name)} onClick={remove}>
      <Icon name="x" />
    </button>
  </span>
)
