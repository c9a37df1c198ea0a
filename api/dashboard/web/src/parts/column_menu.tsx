import { names, type Name } from '../core/figures.ts'
import { t } from '../core/text.ts'
import { Item, Menu, Tick } from './menu.tsx'

type Props = { on: Name[]; toggle: (name: Name) => void; class?: string }

// ColumnMenu chooses the figures that a table shows.
export const ColumnMenu = ({ on, toggle, ...rest }: Props) => (
  <Menu
    {...rest}
    name={t.reports.columns}
    icon="columns"
    label={
      <>
        <span data-key="columns" hidden />
        {t.reports.columns} <span class="dim">{on.length}</span>
      </>
    }>
    {() =>
      names.map(n => (
        <Item key={n} pressed={on.includes(n)} on={() => toggle(n)}>
          <Tick on={on.includes(n)} />
          {t.figures.names[n]}
        </Item>
      ))
    }
  </Menu>
)
