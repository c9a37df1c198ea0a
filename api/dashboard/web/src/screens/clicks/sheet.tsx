import type { ClickAnswer } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part, Fact } from '../../parts/card.tsx'
import { amount, country, money, moment } from '../../core/format.ts'
import { tone } from '../../core/log.ts'
import { use } from '../../core/query.ts'
import { go, to } from '../../core/router.ts'
import { dimensionName, Named, subsOf } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { w as botWords } from '../../text/bots.ts'
import { flowWords } from '../../text/flow.ts'
import { copy } from '../../parts/copy.tsx'
import { Icon, Sign } from '../../parts/icons.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Failed, Loading } from '../../parts/state.tsx'
import { Stepper, useLetters, type Steps } from '../../parts/stepper.tsx'
import { Trace } from '../../parts/trace.tsx'
import { w as said } from '../../text/reasons.ts'

// ClickSheet shows one click: its visitor, the reasons for its routing, and its conversions.
export function ClickSheet({ id, close, step }: { id: string; close: () => void; step: Steps }) {
  const { data, error, again } = use('GET /logs/clicks/{clickId}', { trace: '1' }, 0, { clickId: id }),
    c = data?.click
  const simulate = () => {
    if (c) go(to(`/app/campaigns/${c.parent_campaign_id ?? c.campaign_id}/flow`, { visitor: id }))
  }
  useLetters(step, { r: simulate, y: () => void copy(id, t.clicks.idCopied) })
  return (
    <Sheet
      side
      reads
      title={c ? `${t.clicks.sheet} · ${moment(c.at)}` : t.clicks.sheet}
      close={close}
      foot={
        <>
          <Button look="quiet" onClick={() => void copy(id, t.clicks.idCopied)} icon="copy" text={t.clicks.copyId} letter="Y" />
          <span class="grow" />
          <Stepper of={step} />
          <Button look="primary" disabled={!c} onClick={simulate} text={t.clicks.simulate} letter="R" />
        </>
      }>
      {data ? (
        <Named.Provider value={data.click.sub_names}>
          <Story of={data} />
        </Named.Provider>
      ) : (
        <Loading of={{ error, again }} height={320} style="margin:16px" />
      )}
    </Sheet>
  )
}

// BotReason shows what the strongest signal of a bot means.
function BotReason({ of }: { of: string }) {
  const signals = use('GET /bot-detection', {}).data?.signals
  return <>: {(botWords.known[of] ?? signals?.find(s => s.reason === of))?.meaning ?? of}</>
}

// factText returns one value of the visitor as the sheet shows it, such as the name of a country.
const factText = (name: string, value: string) =>
  name === 'country'
    ? country(value)
    : ((name === 'device_type' ? t.devices : name === 'proxy_kind' ? botWords.proxies : undefined)?.[value] ?? value)

// Story shows what happened to a click, and what is known about the visitor.
function Story({ of: d }: { of: ClickAnswer }) {
  const c = d.click,
    names = d.names
  return (
    <div class="story">
      <section class="part">
        <div class="row wraps">
          <span class="cc">{c.country || '–'}</span>
          <b>{[c.country ? country(c.country) : t.unknown, c.city].filter(Boolean).join(', ')}</b>
          <span class="soft">{[t.devices[c.device_type] ?? c.device_type, c.os, c.browser].filter(Boolean).join(' · ')}</span>
          {c.is_bot && (
            <span class="tag warn">
              {t.devices.bot} {c.bot_score}
              {c.bot_reason && <BotReason of={c.bot_reason} />}
            </span>
          )}
          {!c.is_bot && <span class="tag">{c.is_unique ? t.clicks.first : t.clicks.again}</span>}
        </div>
        <div class="row wraps strong way">
          {[c.campaign_name, c.stream_name, c.lander_name, c.offer_name].filter(Boolean).map((n, i) => (
            <>
              {i > 0 && <Icon name="right" />}
              <span>{n}</span>
            </>
          ))}
        </div>
        {c.destination && <div class="mono dim wrap">{c.destination}</div>}
      </section>
      <Part title={t.clicks.why}>
        {c.passed_stream_name && (
          <p class="warn">{t.clicks.passed(c.passed_stream_name, t.trace.reasons[c.passed_reason] ?? c.passed_reason)}</p>
        )}
        {c.passed_reason === 'blocked' && <p class="warn">{t.clicks.blocked}</p>}
        {d.trace?.flow_changed && (
          <p class="warn">
            {t.clicks.changed} {!d.trace.reproduced && t.clicks.differs}
          </p>
        )}
        {d.trace?.campaigns.length ? (
          <Trace campaigns={d.trace.campaigns} decision={d.trace.decision} names={names} />
        ) : (
          <p class="dim">{t.clicks.noTrace}</p>
        )}
      </Part>
      <Part title={t.clicks.hops}>
        {d.hops.length === 0 ? (
          <p class="dim">{t.clicks.noHops}</p>
        ) : (
          <ul class="list">
            {d.hops.map((h, i) => (
              <li key={i}>
                <Sign name="right" />
                <div class="grow">
                  <div class="t">
                    {t.clicks.hopKinds[h.kind] ?? h.kind}
                    {h.slot ? ` · ${flowWords.slot(h.slot)}` : ''} {names[h.offer_id ?? h.lander_id ?? ''] ?? ''}
                  </div>
                  <div class="d mono cut" title={h.destination}>
                    {h.destination || t.clicks.noPage}
                  </div>
                </div>
                <span class="dim fine">{moment(h.at)}</span>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part title={t.conversions.title}>
        {d.conversions.length === 0 ? (
          <p class="dim">{t.clicks.noConversions}</p>
        ) : (
          <ul class="list">
            {d.conversions.map(v => (
              <li key={v.id}>
                <span class={'tag ' + tone(v.status)}>{t.conversions.statuses[v.status] ?? v.status}</span>
                <div class="grow">
                  <div class="t">{[v.offer_name, v.goal, v.conversion_id].filter(Boolean).join(' · ')}</div>
                  <div class="d">{v.network_name ?? v.source}</div>
                </div>
                <b class="num">{amount(v.payout, v.currency)}</b>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Postbacks id={d.click_id} at={c.at} />
      <Part title={t.clicks.who}>
        <dl class="facts">
          {Object.entries(t.clicks.fields).map(([name, label]) => {
            const v = (d.visitor as unknown as Record<string, unknown>)[name] ?? (c as unknown as Record<string, unknown>)[name]
            return v === '' || v === null || v === undefined || v === 0 ? null : (
              <Fact
                name={label}
                value={factText(name, String(v))}
                look={['user_agent', 'ip', 'click_id', 'external_id'].includes(name) ? 'mono wrap' : 'wrap'}
              />
            )
          })}
          {subsOf(c).map(([sub, value]) => (
            <Fact key={sub} name={dimensionName(sub, c.sub_names)} value={value} look="mono wrap" />
          ))}
          <Fact name={t.figures.names.cost} value={c.cost ? money(c.cost, c.cost < 1 ? 4 : 2) : '—'} />
        </dl>
      </Part>
      {c.params && (
        <Part title={t.link.params}>
          <dl class="facts">
            {[...new URLSearchParams(c.params)].map(([k, v], i) => (
              <>
                <dt key={i} class="mono">
                  {k}
                </dt>
                <dd class="mono wrap">{v}</dd>
              </>
            ))}
          </dl>
        </Part>
      )}
    </div>
  )
}

// Postbacks shows the postbacks received for a click, and the postbacks sent to its source.
function Postbacks({ id, at }: { id: string; at: string }) {
  const { data, error, again } = use('GET /logs/postbacks', { click_id: id, limit: 50, from: at.slice(0, 10) })
  return (
    <Part title={t.clicks.postbacks}>
      {error && !data ? (
        <Failed error={error} again={again} />
      ) : data?.rows.length === 0 ? (
        <p class="dim">{t.clicks.noPostbacks}</p>
      ) : (
        <ul class="list">
          {data?.rows.map(r => (
            <li key={r.id}>
              <span class={'tag ' + (r.result === 'matched' || r.result === 'told' ? 'good' : 'warn')}>
                {t.clicks.results[r.result] ?? r.result}
              </span>
              <div class="grow">
                <div class="t">
                  {r.network_name || r.sent?.source_name} {t.clicks.directions[r.direction] ?? r.direction}
                </div>
                <div class="d mono cut" title={r.sent?.url ?? r.query}>
                  {r.sent?.url ?? r.query}
                </div>
                {r.reason && <div class="d">{said.of(r.reason)}</div>}
                {r.amount_reason && <div class="d warn">{said.of(r.amount_reason)}</div>}
              </div>
              <span class="dim fine">{moment(r.at)}</span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}
