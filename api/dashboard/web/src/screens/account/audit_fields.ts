// The names of fields in the audit log are the labels of the forms that edit them.
import { t } from '../../core/text.ts'
import { settingsWords } from '../../text/account.ts'
import { w as blocks } from '../../text/blocks.ts'
import { w as bulk } from '../../text/bulk.ts'
import { w as cost } from '../../text/cost.ts'
import { w as domains } from '../../text/domains.ts'
import { flowWords } from '../../text/flow.ts'
import { w as goals } from '../../text/goals.ts'
import { w as people } from '../../text/people.ts'
import { recordWords } from '../../text/records.ts'
import { w as smartlinks } from '../../text/smartlinks.ts'
import { w as webhooks } from '../../text/webhooks.ts'

type Labels = Record<string, string>
const campaign = t.campaigns.fields,
  record = recordWords.fields,
  protection = recordWords.protection

// shared has the labels of fields that several forms have.
const shared: Labels = {
  ...(t.dimensions as Labels),
  name: t.overview.name,
  kind: goals.kind,
  url: record.url,
  status: t.lists.status,
  is_active: t.lists.status,
  is_pinned: t.lists.pinned,
  group: t.lists.group,
  group_name: t.lists.group,
  tags: campaign.tags,
  add_tags: bulk.addTags,
  remove_tags: bulk.removeTags,
  notes: campaign.notes,
  country: campaign.country,
  currency: campaign.currency,
  domain_id: t.campaigns.domain,
  source_id: t.campaigns.source,
  network_id: t.conversions.network,
  destination_url: campaign.destination,
  cost_model: campaign.costModel,
  cost_value: campaign.costValue,
  traffic_loss_pct: campaign.loss,
  events: webhooks.events,
  email: people.me.email,
}

// byPart has labels by part of the API. They take precedence over the labels in `shared`.
const byPart: Record<string, Labels> = {
  campaigns: {
    alias: t.campaigns.alias,
    mode: campaign.mode,
    streams: t.campaigns.tabs.flow!,
    flow_id: t.campaigns.tabs.flow!,
    fallback_url: campaign.fallback,
    primary_goal_key: campaign.goal,
    tracked_goal_keys: campaign.tracked,
    measurement_site_id: campaign.site,
    flow_rotation: campaign.rotation,
    bind_visitors: campaign.bind,
    uniqueness_method: campaign.uniqueBy,
    uniqueness_param: t.link.param,
    uniqueness_ttl_hours: campaign.uniqueFor,
    weight: flowWords.fields.weight!,
    daily_cap: flowWords.fields.daily_cap!,
    destinations: flowWords.fields.destinations!,
  },
  rules: { logic: flowWords.fields.logic!, conditions: flowWords.fields.filters! },
  offers: {
    with: t.dimensions.offer_id!,
    payout: record.payout,
    payout_type: record.payoutType,
    payout_from_param: record.fromPostback,
    daily_cap: record.cap,
    campaigns: t.campaigns.title,
  },
  landers: {
    with: t.dimensions.lander_id!,
    campaigns: t.campaigns.title,
    click_slots: record.slotCount,
    enabled: protection.enabled,
    ttlSeconds: protection.ttl,
    singleUse: protection.once,
    bindIp: protection.ip,
    bindUserAgent: protection.agent,
    blockBots: protection.bots,
    countries: protection.countries,
    denyCountries: protection.notCountries,
    devices: protection.devices,
    referrers: protection.referrers,
    fallbackUrl: protection.fallback,
  },
  'traffic-sources': {
    platform: record.platform,
    cost_model: t.figures.names.cost,
    cost_param: record.costParam,
    cost_macro: record.costMacro,
    external_id_param: record.idParam,
    external_id_macro: record.idMacro,
    token_macros: record.macros,
    subs: record.macros,
    postback_url: record.postbackURL,
    postback_method: record.method,
    postback_statuses: record.toldStatuses,
    send_payout_pct: record.payoutShare,
  },
  networks: {
    url: campaign.site,
    macros: record.macrosOf,
    click_param: record.clickParam,
    postback_params: record.paramsOf,
    postback_scheme: record.scheme,
    postback_secret: record.secret,
    status_map: record.words,
    answer_text: record.answer,
    offer_type: record.offerType,
    manager_name: record.manager,
    manager_email: people.me.email,
    manager_im: record.im,
    manager_phone: record.phone,
    payment_terms: record.terms,
    payment_frequency: record.often,
    minimum_payout: record.minimum,
  },
  'short-links': { slug: smartlinks.slug, rules: smartlinks.rules, destination_url: smartlinks.destination },
  domains: {
    crawlers: domains.crawlers,
    https_only: domains.httpsOnly,
    failover: domains.failover,
    index_page: domains.index,
    tag_name: domains.tagName,
  },
  goals: {
    key: goals.key,
    kind: goals.goalKind,
    matchPath: goals.matchPath,
    dedupe: goals.dedupe,
    status: goals.status,
    valueMode: goals.valueMode,
    isPrimary: goals.primary,
    isActive: t.lists.status,
  },
  sites: { domain: goals.domain, kind: goals.kind, revenueFrom: goals.revenueFrom, isActive: t.lists.status },
  corrections: {
    campaign_id: cost.campaign,
    source_id: cost.source,
    source: cost.source,
    sub: cost.sub,
    sub_value: cost.value,
    from: cost.from,
    to: cost.to,
    amount: cost.amount,
    cpc: cost.cpc,
    currency: cost.currency,
  },
  blocks: { values: t.reports.value, scope: blocks.where, dimension: t.conditions.attribute },
  settings: {
    organization_name: settingsWords.name,
    organizationName: settingsWords.name,
    timezone: settingsWords.timezone,
    date_format: settingsWords.dateFormat,
    dateFormat: settingsWords.dateFormat,
    time_format: settingsWords.timeFormat,
    timeFormat: settingsWords.timeFormat,
    assistants: settingsWords.assistants,
    assistant_changes: settingsWords.assistantChanges,
    assistantChanges: settingsWords.assistantChanges,
  },
  changes: { campaigns: t.campaigns.title },
  team: { role: people.team.role },
  links: { role: people.team.role },
  me: { theme: t.nav.theme, language: t.dimensions.language!, letter_keys: people.me.letterKeys },
}

// fieldLabel returns the label of a field in the form of a part of the API.
export const fieldLabel = (part: string, field: string) => byPart[part]?.[field] ?? shared[field] ?? field

const activity: Labels = { true: t.lists.states.active!, false: t.lists.states.paused! }
const values: Record<string, Labels> = { status: t.lists.states, is_active: activity, isActive: activity, cost_model: campaign.costModels }

export const valueLabel = (field: string, value: unknown) => values[field]?.[String(value)] ?? String(value)
