import { names, type Name } from '../core/figures.ts'
import { t } from '../core/text.ts'
import { Choices } from './choices.tsx'
import { Menu, Tick } from './menu.tsx'

// Formulas holds the chosen formulas of a menu. titleOf returns the title of a text that is a formula, and undefined for any
// other text.
type Formulas = { chosen: string[]; toggle: (text: string) => void; titleOf: (text: string) => string | undefined; hint: string }
type Props = { on: Name[]; toggle: (name: Name) => void; formulas?: Formulas; class?: string }

// ColumnMenu chooses the figures that a table shows. With formulas, a formula that is typed into the search can become
// a column too.
export const ColumnMenu = ({ on, toggle, formulas, ...rest }: Props) => {
  const chosen = formulas?.chosen ?? [],
    shown = (v: string) => t.figures.names[v as Name] ?? formulas?.titleOf(v) ?? v,
    isOn = (v: string) => on.includes(v as Name) || chosen.includes(v)
  return (
    <Menu
      {...rest}
      name={t.reports.columns}
      icon="columns"
      label={
        <>
          <span data-key="columns" hidden />
          {t.reports.columns} <span class="dim">{on.length + chosen.length}</span>
        </>
      }>
      {() => (
        <Choices
          list={[...chosen, ...names]}
          text={shown}
          show={v => (
            <>
              <Tick on={isOn(v)} />
              {shown(v)}
            </>
          )}
          on={isOn}
          pick={v => (v in t.figures.names ? toggle(v as Name) : formulas?.toggle(v))}
          more={typed => (formulas?.titleOf(typed) && !chosen.some(c => shown(c) === shown(typed)) ? [typed] : [])}
          hint={formulas?.hint}
        />
      )}
    </Menu>
  )
}
