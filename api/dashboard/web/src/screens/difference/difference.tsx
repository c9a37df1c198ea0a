import type { Difference as Answer } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { canWrite } from '../../core/can.ts'
import { useNetworks, useSources } from '../../core/choices.ts'
import { makeExport } from '../../core/export.ts'
import { count, moment } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { change, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { useHeading } from '../../core/title.ts'
import { zones } from '../../core/zones.ts'
import { span } from '../../core/window.ts'
import { w } from '../../text/difference.ts'
import { ComboField } from '../../parts/combobox.tsx'
import { LoadingCard, EmptyCard } from '../../parts/state.tsx'
import { Causes } from './causes.tsx'
import { Days } from './days.tsx'
import { Examples } from './examples.tsx'
import { measuresOf, type Kind } from './sides.tsx'
import { Upload } from './upload.tsx'

// Difference compares our own figures for the window with the figures of a traffic source or a network, and says why they differ.
export function Difference() {
  const [, , list, id = ''] = place.value.path.split('/')
  const kind: Kind = list === 'networks' ? 'network' : 'source',
    records = (kind === 'network' ? useNetworks : useSources)(),
    name = records?.find(r => r.id === id)?.name
  const theirs = place.value.query.get('their_tz'),
    query = { from: span.value.from, to: span.value.to, tz: span.value.tz, ...(theirs && { their_tz: theirs }) }
  const source = use('GET /traffic-sources/{id}/difference', kind === 'source' ? query : null, 0, { id }),
    network = use('GET /networks/{id}/difference', kind === 'network' ? query : null, 0, { id }),
    answer = kind === 'network' ? network : source
  useHeading(
    name
      ? { name: w.titleOf(name), above: { name: t.kinds[kind === 'network' ? 'networks' : 'sources'].title, path: to(`/app/${list}`) } }
      : null,
  )
  return (
    <div class="grid">
      <section class="card">
        <div class="part fields">
          <TheirZone chosen={theirs ?? ''} used={answer.data?.their_tz} />
        </div>
      </section>
      {answer.data ? <Compared of={answer.data} kind={kind} id={id} /> : <LoadingCard of={answer} height={320} />}
      {kind === 'network' && canWrite() && <Upload id={id} basis={answer.data?.basis} />}
    </div>
  )
}

// TheirZone chooses the time zone in which the days of the source or the network begin. Without a choice, the service uses the zone of
// the connection, or UTC.
const TheirZone = ({ chosen, used }: { chosen: string; used?: string }) => (
  <ComboField
    label={w.theirZone}
    hint={w.theirZoneHint}
    value={chosen}
    choices={zones}
    clear
    placeholder={used}
    on={zone => change({ their_tz: zone || null })}
  />
)

type Props = { of: Answer; kind: Kind; id: string }

function Compared({ of: d, kind, id }: Props) {
  if (!measuresOf(d, kind).some(m => m.compared))
    return (
      <EmptyCard title={w.nothing} more={w.nothingMore[kind]}>
        <Link href={to('/app/integrations', { [kind]: id })} text={t.nav.connect} />
      </EmptyCard>
    )
  return (
    <>
      <Card title={w.causes} beside={<Save kind={kind} id={id} />}>
        <About of={d} />
        <Causes of={d} kind={kind} id={id} />
      </Card>
      <Card title={w.days}>
        <Days of={d} kind={kind} />
      </Card>
      {d.examples.length > 0 && (
        <Card title={w.examples}>
          <Examples of={d.examples} />
        </Card>
      )}
    </>
  )
}

// About says where the figures of the source or the network come from, and which time zones and exchange rates were used.
const About = ({ of: d }: { of: Answer }) => (
  <div class="part dim fine">
    <p>
      {w.basis[d.basis] ?? ''} {d.tz !== d.their_tz && w.zones(d.tz, d.their_tz)} {d.read_at && w.readAt(moment(d.read_at))}
    </p>
    {d.rates.map(r => (
      <p key={r.currency}>
        {r.highest > 0 && w.rate(r.currency, String(r.lowest), String(r.highest), d.currency)}{' '}
        {r.missing > 0 && w.noRate(r.missing, count(r.missing))}
      </p>
    ))}
  </div>
)

function Save({ kind, id }: { kind: Kind; id: string }) {
  const [busy, run] = useBusy()
  const save = () => {
    const theirs = place.value.query.get('their_tz')
    return run(() =>
      makeExport({
        kind: 'difference',
        ...(kind === 'network' ? { network_id: id } : { source_id: id }),
        ...(theirs && { their_tz: theirs }),
      }),
    )
  }
  return <Button look="sm" disabled={busy} onClick={() => void save()} icon="download" text={w.export} />
}
