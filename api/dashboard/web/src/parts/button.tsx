import type { ComponentProps } from 'preact'
import { t } from '../core/text.ts'
import { Icon, type IconName } from './icons.tsx'

type Props = Omit<ComponentProps<'button'>, 'class' | 'icon' | 'children'> & {
  look?: string // its classes besides btn, such as "sm quiet"
  icon?: IconName
  text?: string
  of?: string // what the button acts on, for screen readers
  letter?: string // the key that does the same, not shown on a narrow screen
}

// Button is a button with an icon, a text or both. It sends no form unless its type is submit.
export const Button = ({ look, icon, text, of, letter, ...rest }: Props) => (
  <button type="button" {...(rest as object)} class={look ? 'btn ' + look : 'btn'}>
    {icon && <Icon name={icon} />}
    {text}
    {of && <span class="hidden"> {of}</span>}
    {letter && <kbd class="wide">{letter.replace('Ctrl', t.ctrl)}</kbd>}
  </button>
)

type LinkProps = Omit<ComponentProps<'a'>, 'class' | 'icon' | 'children'> & Pick<Props, 'look' | 'icon' | 'text'>

// Link is a link that looks like a button.
export const Link = ({ look, icon, text, ...rest }: LinkProps) => (
  <a {...(rest as object)} class={look ? 'btn ' + look : 'btn'}>
    {icon && <Icon name={icon} />}
    {text}
  </a>
)

// TableSwitch is a button that shows the data of a plot as a table, or as a plot again.
export const TableSwitch = ({ on, set }: { on: boolean; set: (on: boolean) => void }) => {
  const label = on ? t.overview.asPlot : t.overview.asTable
  return (
    <Button
      look="sm quiet icon"
      aria-pressed={on}
      aria-label={label}
      title={label}
      onClick={() => set(!on)}
      icon={on ? 'reports' : 'table'}
    />
  )
}
