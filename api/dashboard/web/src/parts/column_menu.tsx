import { names, type Name } from '../core/figures.ts'
import { t } from '../core/text.ts'
import { Choices } from './choices.tsx'
import { Menu, Tick } from './menu.tsx'

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
    {() => (
      <Choices
        list={names}
        text={n => t.figures.names[n as Name]}
        show={n => (
          <>
            <Tick on={on.includes(n as Name)} />
            {t.figures.names[n as Name]}
          </>
        )}
        on={n => on.includes(n as Name)}
        pick={n => toggle(n as Name)}
      />
    )}
  </Menu>
)
