import { useEffect, useRef, useState } from 'preact/hooks'
import type { Destination, Path } from '../../api.gen.ts'
import { asError, call } from '../../core/call.ts'
import { choicesOf, type Choice, type Option } from '../../core/choices.ts'
import { useLookup } from '../../core/lookup.ts'
import { touches } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { isLander, nameOf, shareOf, split } from './edit.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Conditions, Sentence } from '../../parts/condition.tsx'
import { Area, Field, Input, Select, Switch } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Item, Menu } from '../../parts/menu.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { sentence } from '../../core/errors.ts'
import { toast } from '../../core/toast.ts'
import { UrlInput } from '../../parts/url_input.tsx'
import type { Book, useBook } from './book.ts'
import { shareText } from './text.ts'

type Props = {
  path: Path
  book: Book
  records: ReturnType<typeof useBook>
  wrong?: { field?: string; text: string }
  may: boolean
  self: string
  on: (change: Partial<Path>) => void
  close: () => void
  remove: () => void
  clone: () => void
}
const options = (of: Record<string, string>): Option[] => Object.entries(of).map(([value, label]) => ({ value, label }))

// PathSheet edits a path of a flow. A change is in the draft at once, and goes live when the flow is saved.
export function PathSheet({ path: p, book, records, wrong, may, self, on, close, remove, clone }: Props) {
  const body = useRef<HTMLFieldSetElement>(null),
    error = (field: string) => (wrong?.field === field ? wrong.text : undefined)
  const lookup = useLookup({ source_id: choicesOf(records.sources), campaign_id: choicesOf(records.campaigns) })
  useEffect(() => {
    if (wrong?.field) body.current?.querySelector<HTMLElement>(`[data-field="${wrong.field}"] :is(input, select, button)`)?.focus()
  }, [wrong])
  const turn = (action: Path['action']) =>
    on({
      action,
      ...(action === 'lander' ? {} : { destinations: p.destinations.filter(d => !isLander(d, book.known)) }),
      ...(action === 'nothing' && !p.response ? { response: { status: 404, body: '' } } : {}),
    })
  return (
    <Sheet
      side
      title={p.name || t.flow.path}
      close={close}
      beside={
        <Switch
          on={p.is_active}
          shown
          disabled={!may}
          label={p.is_active ? t.lists.states.active! : t.lists.states.paused!}
          set={is_active => on({ is_active })}
        />
      }
      foot={
        may && (
          <>
            <button type="button" class="btn quiet" onClick={remove}>
              <Icon name="trash" />
              {t.flow.removePath}
            </button>
            <button type="button" class="btn quiet" onClick={clone}>
              <Icon name="copy" />
              {t.lists.clone}
            </button>
            <span class="grow" />
            <button type="button" class="btn primary" onClick={close}>
              {t.reports.done}
            </button>
          </>
        )
      }>
      <fieldset ref={body} disabled={!may} class="record plainset">
        {wrong && !wrong.field && (
          <p class="bad formerror" role="alert">
            {wrong.text}
          </p>
        )}
        <section class="part">
          <div class="fields">
            <div data-field="name">
              <Field label={t.overview.name} error={error('name')}>
                {w => <Input wired={w} value={p.name} maxLength={255} on={name => on({ name })} />}
              </Field>
            </div>
            <div data-field="stream_type">
              <Field label={t.flow.fields.stream_type!} hint={t.flow.typeHints[p.stream_type]} error={error('stream_type')}>
                {w => <Select wired={w} value={p.stream_type} options={options(t.flow.types)} on={stream_type => on({ stream_type })} />}
              </Field>
            </div>
          </div>
        </section>
        <section class="part" data-field="filters">
          <h2>{t.flow.who}</h2>
          {(error('filters') || error('rules')) && (
            <p class="bad" role="alert">
              {error('filters') ?? error('rules')}
            </p>
          )}
          <Conditions
            label={t.flow.who}
            list={p.filters}
            logic={p.logic}
            empty={p.rules.length ? t.flow.onlyRules : p.stream_type === 'default' ? t.flow.everybodyElse : t.flow.everybody}
            lookup={lookup}
            on={(filters, logic) => on({ filters, logic })}
          />
          <Rules path={p} book={book} saved={records.saved} on={on} />
        </section>
        <section class="part" data-field="destinations">
          <h2>{t.flow.where}</h2>
          <div class="fields">
            <div data-field="action">
              <Field label={t.flow.fields.action!} error={error('action')}>
                {w => <Select wired={w} value={p.action} options={options(t.flow.actions)} on={turn} />}
              </Field>
            </div>
            {p.action !== 'nothing' && p.action !== 'campaign' && (
              <div data-field="transition">
                <Field label={t.flow.fields.transition!} error={error('transition')}>
                  {w => (
                    <Select wired={w} value={p.transition} options={options(t.flow.transitions)} on={transition => on({ transition })} />
                  )}
                </Field>
              </div>
            )}
          </div>
          {error('destinations') && (
            <p class="bad" role="alert">
              {error('destinations')}
            </p>
          )}
          {p.action === 'nothing' ? (
            <Answer path={p} on={on} />
          ) : p.action === 'campaign' ? (
            <Field label={t.flow.handTo}>
              {w => (
                <Combobox
                  wired={w}
                  label={t.flow.handTo}
                  value={p.campaign_id ?? ''}
                  choices={choicesOf(records.campaigns)?.filter(c => c.value !== self)}
                  on={campaign_id => on({ campaign_id })}
                />
              )}
            </Field>
          ) : (
            <Destinations path={p} book={book} records={records} on={on} />
          )}
        </section>
        <section class="part">
          <h2>{t.flow.more}</h2>
          <div class="fields">
            <div data-field="weight">
              <Field label={t.flow.fields.weight!} hint={t.flow.weightHint} error={error('weight')}>
                {w => <Input wired={w} type="number" min={0} value={String(p.weight)} on={v => on({ weight: Number(v) || 0 })} />}
              </Field>
            </div>
            {p.stream_type === 'regular' && (
              <div data-field="rule_group">
                <Field label={t.flow.fields.rule_group!} hint={t.flow.groupHint} error={error('rule_group')}>
                  {w => (
                    <Input
                      wired={w}
                      type="number"
                      min={0}
                      max={999}
                      value={String(p.rule_group)}
                      on={v => on({ rule_group: Number(v) || 0 })}
                    />
                  )}
                </Field>
              </div>
            )}
            <div data-field="daily_cap">
              <Field label={t.flow.fields.daily_cap!} hint={t.flow.capHint} error={error('daily_cap')}>
                {w => (
                  <Input
                    wired={w}
                    type="number"
                    min={1}
                    value={p.daily_cap == null ? '' : String(p.daily_cap)}
                    on={v => on({ daily_cap: v === '' ? null : Number(v) })}
                  />
                )}
              </Field>
            </div>
            <Field label={t.flow.fields.collect_clicks!} hint={t.flow.collectHint}>
              {w => (
                <Switch
                  wired={w}
                  on={p.collect_clicks}
                  label={t.flow.fields.collect_clicks!}
                  set={collect_clicks => on({ collect_clicks })}
                />
              )}
            </Field>
          </div>
        </section>
      </fieldset>
    </Sheet>
  )
}

const Answer = ({ path: p, on }: { path: Path; on: (c: Partial<Path>) => void }) => {
  const r = p.response ?? { status: 404 as const, body: '' }
  return (
    <div class="fields">
      <Field label={t.flow.status}>
        {w => (
          <Select
            wired={w}
            value={String(r.status)}
            options={['404', '204', '200'].map(s => ({ value: s, label: t.flow.statuses[s]! }))}
            on={v => on({ response: { ...r, status: Number(v) as typeof r.status } })}
          />
        )}
      </Field>
      {r.status !== 204 && (
        <div class="across">
          <Field label={t.flow.bodyOf}>
            {w => <Area wired={w} value={r.body} max={20000} on={body => on({ response: { ...r, body } })} />}
          </Field>
        </div>
      )}
    </div>
  )
}

// Rules edits the rules of a path: saved rules of the account and rules of the path's own.
function Rules({
  path: p,
  book,
  saved,
  on,
}: {
  path: Path
  book: Book
  saved: { id: string; name: string }[] | undefined
  on: (c: Partial<Path>) => void
}) {
  const [newName, setNewName] = useState(''),
    [error, setError] = useState<string>()
  const used = new Set(p.rules.map(r => r.rule_id)),
    free = saved?.filter(r => !used.has(r.id))
  const keep = () =>
    call('POST /rules', { body: { name: newName, logic: p.logic, conditions: p.filters } }).then(
      made => {
        touches('rules')
        on({ filters: [], rules: [...p.rules, { name: made.name, rule_id: made.id }] })
        setNewName('')
        toast(t.flow.ruleSaved(made.name))
      },
      e => setError(sentence(asError(e))),
    )
  return (
    <>
      <div class="rules">
        {p.rules.map((r, i) => {
          const s = r.rule_id ? book.rules.get(r.rule_id) : undefined
          return (
            <div key={i} class="ruleline row">
              <span class="grow">
                <b>{s?.name ?? r.name}</b> <span class="dim fine">{r.rule_id ? t.flow.savedRule : t.flow.ownRule}</span>
                <span class="block">
                  {(s?.conditions ?? r.conditions ?? []).map((c, j) => (
                    <Sentence key={j} of={c} names={book.known.names} />
                  ))}
                </span>
              </span>
              <button
                type="button"
                class="btn quiet icon"
                aria-label={t.parts.remove(r.name)}
                onClick={() => on({ rules: p.rules.filter((_, j) => j !== i) })}>
                <Icon name="x" />
              </button>
            </div>
          )
        })}
      </div>
      <div class="row wraps">
        {free && free.length > 0 && (
          <Menu
            kind="btn sm"
            name={t.flow.addRule}
            label={
              <>
                <Icon name="plus" />
                {t.flow.addRule}
              </>
            }>
            {close => (
              <div class="searches">
                {free.map(r => (
                  <Item key={r.id} close={close} on={() => on({ rules: [...p.rules, { name: r.name, rule_id: r.id }] })}>
                    {r.name}
                  </Item>
                ))}
              </div>
            )}
          </Menu>
        )}
        {p.filters.length > 0 && (
          <Menu kind="btn sm quiet" name={t.flow.keepRule} label={t.flow.keepRule}>
            {close => (
              <form
                onSubmit={e => {
                  e.preventDefault()
                  e.stopPropagation()
                  if (newName.trim()) void keep().then(close)
                }}>
                <label class="field">
                  <span>{t.overview.name}</span>
                  <input class="input" maxLength={255} value={newName} onInput={e => setNewName(e.currentTarget.value)} />
                </label>
                <button class="btn sm">{t.parts.save}</button>
                {error && (
                  <p class="bad" role="alert">
                    {error}
                  </p>
                )}
              </form>
            )}
          </Menu>
        )}
      </div>
    </>
  )
}

// Destinations edits the landing pages and offers of a path with their weights. It shows the slots of landing pages too.
function Destinations({
  path: p,
  book,
  records,
  on,
}: {
  path: Path
  book: Book
  records: ReturnType<typeof useBook>
  on: (c: Partial<Path>) => void
}) {
  const { landers, onward } = split(p, book.known),
    [address, setAddress] = useState(''),
    lander = p.action === 'lander'
  const put = (destinations: Destination[]) => on({ destinations })
  const set = (d: Destination, change: Partial<Destination>) => put(p.destinations.map(o => (o === d ? { ...o, ...change } : o)))
  const unused = (list: Choice[] | undefined) => list?.filter(c => lander || !p.destinations.some(d => d.id === c.value))
  const rows = (list: Destination[], label: string) =>
    list.length > 0 && (
      <div class="dests" role="group" aria-label={label}>
        {list.map((d, i) => (
          <div key={i} class="row">
            <span class="grow cut" title={nameOf(d, book.known)}>
              {nameOf(d, book.known) || t.gone}
            </span>
            {lander && !isLander(d, book.known) && (
              <Select
                label={t.flow.slotOf(nameOf(d, book.known))}
                value={String(d.slot ?? 0)}
                options={[
                  { value: '0', label: t.flow.everySlot },
                  ...Array.from({ length: 20 }, (_, n) => ({ value: String(n + 1), label: t.flow.slot(n + 1) })),
                ]}
                on={v => set(d, { slot: Number(v) || undefined })}
              />
            )}
            <Input
              class="num weightin"
              type="number"
              min={0}
              aria-label={t.flow.weightOfPath(nameOf(d, book.known))}
              value={String(d.weight)}
              on={v => set(d, { weight: Number(v) || 0 })}
            />
            <span class="dim num pct">{shareText(shareOf(d, list))}</span>
            <button
              type="button"
              class="btn quiet icon"
              aria-label={t.parts.remove(nameOf(d, book.known))}
              onClick={() => put(p.destinations.filter(o => o !== d))}>
              <Icon name="x" />
            </button>
          </div>
        ))}
      </div>
    )
  return (
    <>
      {lander && (
        <>
          <h3 class="label">{t.flow.heads.landers}</h3>
          {rows(landers, t.flow.heads.landers)}
          <Combobox
            label={t.flow.addLander}
            placeholder={t.flow.addLander}
            value=""
            choices={unused(choicesOf(records.landers))?.filter(c => !landers.some(d => d.id === c.value))}
            on={id => {
              if (id) put([...p.destinations, { id, weight: 100 }])
            }}
          />
        </>
      )}
      <h3 class="label">{lander ? t.flow.offersBehind : t.flow.heads.offers}</h3>
      {rows(onward, t.flow.heads.offers)}
      <Combobox
        label={t.flow.addOffer}
        placeholder={t.flow.addOffer}
        value=""
        choices={unused(choicesOf(records.offers))}
        on={id => {
          if (id) put([...p.destinations, { id, weight: 100 }])
        }}
      />
      <details class="addurl">
        <summary>{t.flow.addAddress}</summary>
        <UrlInput label={t.flow.addAddress} value={address} on={setAddress} />
        <button
          type="button"
          class="btn sm"
          disabled={!address.trim()}
          onClick={() => {
            put([...p.destinations, { url: address.trim(), weight: 100 }])
            setAddress('')
          }}>
          {t.flow.addIt}
        </button>
      </details>
    </>
  )
}
