import { useState } from 'preact/hooks'
import type { Uses } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { undo } from '../../core/bulk.ts'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { choicesOf, useLanders, useOffers } from '../../core/choices.ts'
import { count } from '../../core/format.ts'
import { touches, use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { toast } from '../../core/toast.ts'
import { w } from '../../text/bulk.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Field } from '../../parts/form.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { Foot, Sheet } from '../../parts/sheet.tsx'
import { Loading } from '../../parts/state.tsx'

type Props = { kind: 'offers' | 'landers'; of: { id: string; name: string; click_slots?: number }; close: () => void }
type Place = Uses['places'][number]
const weight = (n: number) => (Number.isInteger(n) ? count(n) : String(n))

// Replace replaces an offer or a landing page by another one, in all campaigns and saved flows or only in the chosen ones.
export function Replace({ kind, of: record, close }: Props) {
  const offers = useOffers(kind === 'offers'),
    landers = useLanders(kind === 'landers'),
    others = (offers ?? landers)?.filter(r => r.id !== record.id)
  const [next, setNext] = useState(''),
    [off, setOff] = useState<Set<string>>(new Set()),
    [busy, run] = useBusy()
  const uses = use(`GET /${kind}/{id}/uses` as 'GET /offers/{id}/uses', next ? { with: next } : {}, 0, { id: record.id }),
    shown = uses.data
  const places = shown?.places ?? [],
    on = places.filter(p => !off.has(p.id)),
    chosen = others?.find(r => r.id === next)
  const send = () =>
    run(async () => {
      const ids = (of: string) => [...new Set(on.filter(p => p.kind === of).map(p => p.id))],
        everywhere = off.size === 0 && shown?.whole
      const done = await call(`POST /${kind}/{id}/replace` as 'POST /offers/{id}/replace', {
        path: { id: record.id },
        body: { with: next, ...(everywhere ? {} : { campaigns: ids('campaign'), flows: ids('flow') }) },
      })
      touches('campaigns', 'flows', 'tools', kind)
      toast(w.replaced(done.places.length, record.name, chosen!.name), { undo: () => undo([done.change_id]) })
      close()
    })
  return (
    <Sheet
      title={w.replaceTitle(record.name)}
      close={close}
      keep={() => next !== ''}
      foot={
        <Foot close={close} look="primary" disabled={busy || !next || !on.length} onClick={() => void send()} text={w.go(on.length)} />
      }>
      <div class="body">
        <Field label={w.with[kind]}>
          {wired => <Combobox wired={wired} label={w.with[kind]} value={next} choices={choicesOf(others)} on={setNext} />}
        </Field>
        {chosen?.status === 'paused' && <p class="warn">{w.paused(chosen.name)}</p>}
        <FewerSlots of={record} next={chosen} />
        {!shown ? (
          <Loading of={uses} height={120} style="" />
        ) : places.length === 0 ? (
          <p class="dim">{w.unused}</p>
        ) : (
          <Places list={places} off={off} setOff={setOff} />
        )}
        {places.some(p => p.joins) && <p class="dim">{w.joinsText}</p>}
        {shown && !shown.whole && <p class="warn">{w.more(count(places.length))}</p>}
      </div>
    </Sheet>
  )
}

// FewerSlots warns if the new landing page has fewer click slots than the old page.
const FewerSlots = ({ of, next }: { of: { click_slots?: number }; next?: object }) => {
  const have = of.click_slots ?? 0,
    slots = (next as { click_slots?: number } | undefined)?.click_slots ?? have
  return slots < have ? <p class="warn">{w.slots(slots, have)}</p> : null
}

type PlacesProps = { list: Place[]; off: Set<string>; setOff: (off: Set<string>) => void }

// Places lists paths under their campaigns and saved flows. A checkbox leaves out a campaign or a saved flow.
function Places({ list, off, setOff }: PlacesProps) {
  const ids = [...new Set(list.map(p => p.id))]
  const toggle = (id: string) => {
    const out = new Set(off)
    if (!out.delete(id)) out.add(id)
    setOff(out)
  }
  return (
    <>
      <Button look="sm quiet" onClick={() => setOff(off.size ? new Set() : new Set(ids))} text={off.size ? t.parts.selectAll : w.none} />
      <PlainTable look="folds" label={w.all} heads={[{ left: w.place }, { left: w.path }, w.weight]}>
        {list.map((p, i) => (
          <tr key={`${p.id} ${p.path_id} ${p.slot}`}>
            <td class="left">
              {list[i - 1]?.id !== p.id && (
                <label class="row">
                  <input type="checkbox" checked={!off.has(p.id)} onChange={() => toggle(p.id)} />
                  <span>{p.name}</span>
                  {p.kind === 'flow' && <span class="tag">{w.flow}</span>}
                  {p.status !== 'active' && <span class="tag">{t.lists.states[p.status] ?? p.status}</span>}
                </label>
              )}
            </td>
            <td class="left">
              {p.path}
              {p.slot > 0 && <span class="dim"> {w.slot(p.slot)}</span>}
            </td>
            <td class="num">{p.joins ? w.joins(weight(p.weight), weight(p.new_weight ?? p.weight)) : weight(p.weight)}</td>
          </tr>
        ))}
      </PlainTable>
    </>
  )
}
