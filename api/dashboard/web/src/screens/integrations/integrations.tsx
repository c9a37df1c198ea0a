import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { NetworkRow, OAuthConnection, OAuthProvider, SourceRow } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { call } from '../../core/call.ts'
import { mayConnect, errorText, openConnection } from '../../core/connect.ts'
import { useNetworks, useSources } from '../../core/choices.ts'
import { ago } from '../../core/dates.ts'
import { signIn } from '../../core/oauth.ts'
import { use } from '../../core/query.ts'
import { place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { enterWords } from '../../text/enter.ts'
import { w } from '../../text/integrations.ts'
import { Copy } from '../../parts/copy.tsx'
import { Says } from '../../parts/credentials.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { Bone, Failed, Late } from '../../parts/state.tsx'
import { toastAndReload, toast } from '../../core/toast.ts'
import { AI, Geo } from './others.tsx'
import { DNSAccounts } from './dns.tsx'
import { NetworkSheet } from './network.tsx'
import { SourceSheet } from './source.tsx'

const shownAtFirst = 8 // the number of rows that are shown at first; it is small, because each row sends a request

// Integrations lists the outside services to which the account can be connected, their state, and the possible actions.
export function Integrations() {
  const dns = use('GET /integrations', {}),
    networks = useNetworks() as NetworkRow[] | undefined,
    sources = useSources() as SourceRow[] | undefined,
    q = place.value.query
  if (!dns.data)
    return (
      <section class="card">
        {dns.error ? (
          <Failed error={dns.error} again={dns.again} />
        ) : (
          <Late>
            <div class="part">
              {[0, 1, 2, 3].map(i => (
                <Bone key={i} w="100%" h={44} />
              ))}
            </div>
          </Late>
        )}
      </section>
    )
  const network = networks?.find(n => n.id === q.get('network')),
    source = sources?.find(s => s.id === q.get('source'))
  return (
    <div class="grid integrations">
      {!dns.data.encryptionAvailable && (
        <section class="card part nokey" role="alert">
          <p class="warn">{w.noKey}</p>
          <Copy lines text={w.noKeyLine} label={w.setting} />
        </section>
      )}
      <DNSAccounts list={dns.data} />
      <Platforms />
      <Connections
        title={t.kinds.sources.title}
        none={w.ads.none}
        rooms={{ path: '/app/sources', text: w.ads.toSources }}
        rows={sources}
        one={s => <SourceLine key={s.id} of={s} />}
      />
      <Connections
        title={w.networks.title}
        text={w.networks.text}
        none={t.kinds.networks.empty}
        rooms={{ path: '/app/networks', text: w.networks.toNetworks }}
        rows={networks}
        one={n => <NetworkLine key={n.id} of={n} />}
      />
      <Geo encryption={dns.data.encryptionAvailable} />
      <AI />
      {network && <NetworkSheet key={network.id} of={network} close={() => openConnection({})} />}
      {source && <SourceSheet key={source.id} of={source} close={() => openConnection({})} />}
    </div>
  )
}

type ConnectionsProps<R> = {
  title: string
  text?: string
  none: string
  rooms: { path: string; text: string }
  rows: R[] | undefined
  one: (r: R) => ComponentChildren
}

// Connections lists records that can each be connected.
function Connections<R extends { status: string }>({ title, text, none, rooms, rows: all, one }: ConnectionsProps<R>) {
  const [showAll, setShowAll] = useState(false),
    rows = all?.filter(r => r.status !== 'archived')
  return (
    <Card title={title}>
      {text && <p class="part soft lead">{text}</p>}
      {!rows ? (
        <div class="part">
          <Bone w="100%" h={44} />
        </div>
      ) : rows.length === 0 ? (
        <div class="part row">
          <span class="dim grow">{none}</span>
          <Link href={to(rooms.path)} text={rooms.text} />
        </div>
      ) : (
        <ul class="list">{rows.slice(0, showAll ? rows.length : shownAtFirst).map(one)}</ul>
      )}
      {rows && rows.length > shownAtFirst && !showAll && (
        <div class="part">
          <Button onClick={() => setShowAll(true)} text={w.all(rows.length)} />
        </div>
      )}
    </Card>
  )
}

type LineProps = {
  name: string
  on: boolean
  connected: string | null
  checked: string | null
  synced: string | null
  next: string | null
  error: string | null
  loaded: boolean
  open: () => void
}

function Line({ name, on, connected, checked, synced, next, error, loaded, open }: LineProps) {
  const about = [
    connected ? w.by(connected) : w.notConnected,
    checked ? w.asked(ago(checked)) : connected ? w.never : '',
    synced ? w.read(ago(synced)) : '',
  ].filter(Boolean)
  return (
    <li>
      <div class="grow">
        <div class="t">{name}</div>
        {loaded ? (
          <div class="d wrap">
            {about.join(' · ')}
            {next && Date.parse(next) > Date.now() && ` · ${w.next(untilText(next))}`}
          </div>
        ) : (
          <div class="d">
            <Bone w={160} />
          </div>
        )}
        {error && <div class="d bad wrap">{error}</div>}
      </div>
      {connected && <Says on={on || !!error} error={error} />}
      <Button look="sm" onClick={open} text={connected ? t.campaigns.openIt : t.nav.connect} of={name} />
    </li>
  )
}
const untilText = (at: string) => {
  const minutes = Math.max(1, Math.round((Date.parse(at) - Date.now()) / 60_000)),
    { times } = t.exports
  return minutes < 60 ? times.minutes(minutes) : times.hours(Math.round(minutes / 60))
}

function NetworkLine({ of: n }: { of: NetworkRow }) {
  const { data: i } = use('GET /networks/{id}/integration', {}, 0, { id: n.id })
  return (
    <Line
      name={n.name}
      loaded={!!i}
      on={i?.is_enabled ?? false}
      connected={i?.providers.find(p => p.provider === i.connectedTo)?.label ?? null}
      checked={i?.lastCheckedAt ?? null}
      synced={i?.lastSyncedAt ?? null}
      next={i?.nextSyncAt ?? null}
      error={i?.lastError ?? null}
      open={() => openConnection({ network: n.id })}
    />
  )
}

function SourceLine({ of: s }: { of: SourceRow }) {
  const { data: i } = use('GET /traffic-sources/{id}/integration', {}, 0, { id: s.id })
  return (
    <Line
      name={s.name}
      loaded={!!i}
      on={i?.is_enabled ?? false}
      connected={i?.providers.find(p => p.provider === i.provider)?.label ?? null}
      checked={i?.last_checked_at ?? null}
      synced={i?.last_sync_at ?? null}
      next={i?.next_sync_at ?? null}
      error={i?.last_error ?? i?.uploads?.last_error ?? null}
      open={() => openConnection({ source: s.id })}
    />
  )
}

// Platforms shows the ad platforms at which a person can sign in.
function Platforms() {
  const { data, error, again } = use('GET /oauth/connections', {}),
    [disconnecting, setDisconnecting] = useState<{ of: OAuthProvider; c: OAuthConnection } | null>(null)
  const name = (p: OAuthProvider, c: OAuthConnection) => [p.label, c.userName].filter(Boolean).join(', ')
  return (
    <Card title={w.ads.title}>
      <p class="part soft lead">{w.ads.text}</p>
      {!data ? (
        error ? (
          <Failed error={error} again={again} />
        ) : (
          <div class="part">
            <Bone w="100%" h={44} />
          </div>
        )
      ) : (
        <ul class="list">
          {data.providers.map(p => (
            <Platform key={p.provider} of={p} keyed={data.encryptionAvailable} leave={c => setDisconnecting({ of: p, c })} />
          ))}
        </ul>
      )}
      {disconnecting && (
        <Ask
          title={w.disconnectTitle(name(disconnecting.of, disconnecting.c))}
          text={w.ads.disconnectText}
          go={w.disconnect}
          danger
          close={() => setDisconnecting(null)}
          on={() =>
            call('DELETE /oauth/connections', { query: { id: disconnecting.c.id } }).then(() =>
              toastAndReload(w.gone(name(disconnecting.of, disconnecting.c)), 'oauth', 'traffic-sources'),
            )
          }
        />
      )}
    </Card>
  )
}

function Platform({ of: p, keyed, leave }: { of: OAuthProvider; keyed: boolean; leave: (c: OAuthConnection) => void }) {
  const [busy, setBusy] = useState(false),
    may = mayConnect()
  const begin = () => {
    setBusy(true)
    signIn(p.provider, location.pathname + location.search).catch(e => {
      toast(errorText(e), { bad: true })
      setBusy(false)
    })
  }
  const again = p.connections.some(c => c.status === 'revoked' || c.missing.length > 0)
  return (
    <li class="platform">
      <div class="grow">
        <div class="t">{p.label}</div>
        {p.connections.length === 0 && <div class="d">{p.configured ? w.ads.nobody : `${w.ads.notConfigured}. ${w.ads.byOperator}`}</div>}
        {p.connections.map(c => (
          <div key={c.id} class="d row wraps">
            <span class="wrap">{w.ads.signedIn(c.userName || c.userId)}</span>
            <span class={'tag ' + (c.status === 'revoked' || c.failingSince ? 'bad' : 'good')}>
              {c.status === 'revoked' || c.failingSince ? w.failing : w.ok}
            </span>
            {(c.status === 'revoked' || c.error) && <span class="bad wrap">{c.status === 'revoked' ? w.ads.revoked : c.error}</span>}
            {c.missing.map(use => (
              <span key={use} class="bad wrap">
                {w.ads.missing[use]}
              </span>
            ))}
            {may && <Button look="sm quiet" onClick={() => leave(c)} icon="x" text={w.disconnect} of={`${p.label}, ${c.userName}`} />}
          </div>
        ))}
      </div>
      {may && p.configured && keyed && (
        <Button look="sm" disabled={busy} onClick={begin} text={again ? w.ads.again : enterWords.title} of={p.label} />
      )}
    </li>
  )
}
