import type { Path } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { neighbour, displayName, unitsOf } from './edit.ts'
import { Sentence } from '../../parts/condition.tsx'
import { Input, Switch } from '../../parts/form.tsx'
import { shareText } from './text.ts'
import type { ViewProps } from './rails.tsx'

// FlowTable shows the flow as a table, with the same paths in the same order and the same data as the drawing.
export function FlowTable(p: ViewProps) {
  return (
    <ol class="flowtable" aria-label={flowWords.drawn}>
      {p.flow.map((o, i) => (
        <Row key={o.id} {...p} path={o} n={i + 1} />
      ))}
    </ol>
  )
}

function Row({ path: p, n, book, share, lit, wrong, covered, edit, move, all, may, set }: ViewProps & { path: Path; n: number }) {
  const units = unitsOf(p, book.rules),
    by = covered(p.id),
    up = neighbour(all, p.id, -1),
    down = neighbour(all, p.id, 1)
  // moveBy moves the path and its row. The pressed button loses the focus by that, so moveBy focuses it again.
  const moveBy = (by: 1 | -1, e: { currentTarget: HTMLElement }) => {
    const button = e.currentTarget
    move(p.id, by)
    requestAnimationFrame(() => button.focus())
  }
  return (
    <li class={(lit.path === p.id ? 'hit ' : '') + (p.is_active ? '' : 'faded ') + (wrong?.path === p.id ? 'wrong' : '')} data-path={p.id}>
      <span class="face" aria-hidden="true">
        {n}
      </span>
      <div class="what">
        <div class="row">
          <button type="button" class="opener" title={p.name} aria-label={flowWords.open(p.name)} onClick={() => edit(p.id)}>
            <b class="cut">{p.name}</b>
          </button>
          <span class={'tag ' + (p.stream_type === 'forced' ? 'warn' : p.stream_type === 'default' ? '' : 'accent')}>
            {flowWords.types[p.stream_type]}
          </span>
          <span class="dim num">{shareText(share(p))}</span>
        </div>
        <div>
          {units.length === 0 && <span class="cond">{p.stream_type === 'default' ? flowWords.everybodyElse : flowWords.everybody}</span>}
          {units.map((u, j) =>
            u.saved ? (
              <span key={j} class="cond">
                <em>{flowWords.rule}</em> <b>{u.name}</b>
              </span>
            ) : (
              u.conditions.map((c, k) => <Sentence key={j + '.' + k} of={c} names={book.known.names} />)
            ),
          )}
        </div>
        <div class="cond">
          →{' '}
          {p.action === 'nothing'
            ? flowWords.answers(p.response?.status ?? 404)
            : p.action === 'campaign'
              ? (book.known.names[p.campaign_id ?? ''] ?? flowWords.noCampaign)
              : p.destinations.length
                ? p.destinations.map((d, n) => (
                    <>
                      {n > 0 && ', '}
                      <bdi>{displayName(d, book.known, t.gone)}</bdi> {d.weight}
                    </>
                  ))
                : flowWords.nowhere}
        </div>
        {by && <div class="cond warn">{flowWords.covered(by.name)}</div>}
        {wrong?.path === p.id && (
          <div class="bad fine" role="alert">
            {wrong.text}
          </div>
        )}
      </div>
      <label class="row weight">
        <span class="dim fine">{flowWords.fields.weight}</span>
        <Input
          class="num"
          type="number"
          min={0}
          disabled={!may}
          aria-label={flowWords.weightOfPath(p.name)}
          value={String(p.weight)}
          on={v => set(p.id, { weight: Number(v) || 0 })}
        />
      </label>
      <Switch on={p.is_active} disabled={!may} label={t.lists.activeOf(p.name)} set={is_active => set(p.id, { is_active })} />
      <span class="row moves">
        <Button look="sm quiet icon" disabled={!may || !up} aria-label={flowWords.up(p.name)} onClick={e => moveBy(-1, e)} icon="upward" />
        <Button look="sm quiet icon" disabled={!may || !down} aria-label={flowWords.down(p.name)} onClick={e => moveBy(1, e)} icon="down" />
      </span>
    </li>
  )
}
