// Every text that is shown. Another language is another file of the same type.
import { words as build } from './en/build.ts'
import { words as money } from './en/money.ts'
import { words as records } from './en/records.ts'
import { counted, named } from './words.ts'

const of = counted('en')

export const words = {
  ...build, ...money, ...records,
  brand: 'Switchyard',
  nav: {
    main: 'Main', overview: 'Overview', reports: 'Reports', more: 'More', account: 'Account', signOut: 'Sign out', api: 'API reference', skip: 'Go to content',
    clicksMonth: 'Clicks this month', used: (used: string, limit: string, forecast: string) => `${used} of ${limit} · on course for ${forecast}`,
    usedOnly: (used: string, forecast: string) => `${used} · on course for ${forecast}`, theme: 'Theme', licences: 'Licences', build: 'Build', connect: 'Connect', domains: 'Domains', integrations: 'Integrations', itsConnection: 'Its connection: what it reads and tells by itself', screens: 'More screens',
  },
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  roles: named({ viewer: 'Viewer', contributor: 'Contributor', member: 'Member', owner: 'Owner' }),
  window: {
    choose: 'Window of time', compare: 'Compare with', previous: (n: number) => n === 1 ? 'vs the day before' : `vs previous ${n} days`, noCompare: 'no comparison',
    withPrevious: (span: string) => `The days before (${span})`, without: 'Nothing', custom: 'From … to', from: 'From', to: 'To', apply: 'Show',
    presets: named({ today: 'Today', yesterday: 'Yesterday', '7d': 'Last 7 days', '14d': 'Last 14 days', '30d': 'Last 30 days', month: 'This month', 'last-month': 'Last month' }),
  },
  figures: {
    names: {
      clicks: 'Clicks', unique_clicks: 'Unique', bot_clicks: 'Bots', lp_views: 'LP views', lp_clicks: 'LP clicks', lp_ctr: 'LP CTR', conversions: 'Conv.',
      approved: 'Approved', pending: 'Pending', rejected: 'Rejected', chargebacks: 'Chargebacks', cr: 'CR', cost: 'Cost', revenue: 'Revenue', pending_revenue: 'Pending revenue',
      profit: 'Profit', roi: 'ROI', epc: 'EPC', cpc: 'CPC', cpa: 'CPA', approve_rate: 'Approved %',
    },
    conversions: 'Conversions', points: (n: string) => `${n} pt`, isNew: 'new',
  },
  dimensions: named({
    campaign_id: 'Campaign', stream_id: 'Path', lander_id: 'Landing page', offer_id: 'Offer', source_id: 'Source', lp_slot: 'Slot', country: 'Country', region: 'Region',
    city: 'City', language: 'Language', isp: 'ISP', asn: 'ASN', connection_type: 'Connection', mobile_operator: 'Operator', device_type: 'Device', device_brand: 'Brand',
    device_model: 'Model', os: 'OS', os_version: 'OS version', browser: 'Browser', browser_version: 'Browser version', ip: 'Address', referrer: 'Referrer', arrival: 'Arrival', bot_reason: 'Bot reason',
    proxy_kind: 'Proxy', crawler: 'Crawler', date: 'Day', hour: 'Hour', hour_of_day: 'Hour of day', day_of_week: 'Weekday', month: 'Month',
    sub1: 'Sub 1', sub2: 'Sub 2', sub3: 'Sub 3', sub4: 'Sub 4', sub5: 'Sub 5', sub6: 'Sub 6', sub7: 'Sub 7', sub8: 'Sub 8', sub9: 'Sub 9', sub10: 'Sub 10',
  }),
  weekdays: ['', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  unknown: 'not known', gone: 'removed',
  overview: {
    title: 'Overview', totals: 'Totals', plotOf: (a: string, b: string) => b ? `${a} and ${b.toLowerCase()}` : a, before: (name: string) => `${name}, before`,
    hour: 'Hour', six: '6 h', day: 'Day', bucket: 'Steps of the plot', now: 'now', rightNow: 'Right now', visitors: (n: number, shown: string) => of(n, 'visitor', 'visitors', shown),
    byMinute: (n: number) => `Clicks by minute, last ${n} minutes`, minutesAgo: (n: number) => `${n} min ago`, pace: (n: string) => `now · ${n} ${n === '1' ? 'click' : 'clicks'} a minute`, nobody: 'Nobody in the last 30 minutes.',
    campaigns: 'Campaigns', byProfit: 'by profit', all: (n: number) => `All ${n} →`, name: 'Name', change: 'Profit, change', figuresRegion: 'Figures',
    needsYou: 'Needs you', allWell: 'Nothing needs you.', suggestions: (n: number, shown: string) => of(n, 'suggestion', 'suggestions', shown) + ' of the Copilot', suggestionsMore: 'Changes that the figures call for, each with its reasons.', look: 'Look', changed: 'What changed', against: (days: number) => days === 7 ? 'against the week before' : days === 1 ? 'against the day before' : `against the ${days} days before`,
    noChange: 'Nothing moved more than chance explains.', noCompare: 'Choose a comparison to see what moved.', updated: (s: number) => s < 2 ? 'updated now' : `updated ${s} s ago`, asTable: 'As a table', asPlot: 'As a plot',
    summary: (figure: string, total: string, window: string) => `${figure}: ${total} in ${window}`, tooltipProfit: 'Profit', time: 'Time',
    cause: { cr: (a: string, b: string) => `CR ${a} → ${b}`, clicks: (a: string, b: string) => `clicks ${a} → ${b}`, payout: (a: string, b: string) => `a conversion brings ${a} → ${b}`, cost: (a: string, b: string) => `cost ${a} → ${b}`, noConversion: (n: string) => `${n} clicks, no conversion` },
    empty: 'No campaign has had a click in this window.', emptyMore: 'Send the first one to a tracking link and it shows up here.',
  },
  reports: {
    title: 'Reports', group: 'Group', only: 'Only', add: (n: number) => `Add (${n} of 5)`, addDimension: 'Add a dimension', filter: 'Filter', tree: 'Tree', flat: 'Flat', shape: 'Shape of the table',
    columns: 'Columns', exportIt: 'Export', total: (n: number, shown: string) => `Total of ${of(n, 'row', 'rows', shown)}`, totalMore: 'Total of all', remove: (what: string) => `Remove ${what}`,
    earlier: (what: string) => `${what} one level up`, is: (what: string) => `${what} is`, isNot: (what: string) => `${what} is not`, atLeast: 'Clicks', or: 'or',
    onlyThis: 'Only this (F)', exclude: 'All but this (X)', overTime: 'Over time (T)', itsClicks: 'Its clicks (L)', open: 'Open', close: 'Close', most: (n: string) => `The ${n} largest are shown; the export has all.`,
    empty: 'Nothing in this window.', emptyFiltered: 'Nothing passes these filters.', clearFilters: 'Clear filters', grouped: (g: number, f: number) => `Grouped by ${g}, filtered by ${f}`,
    rows: (n: string) => `${n} rows`, move: 'move', opens: 'open', closes: 'close', onlyKey: 'only this', exceptKey: 'all but this', allKeys: 'all keys', chance: 'Grey changes are within chance',
    search: 'Search', value: 'Value', dimension: 'Dimension',
    chooseValue: 'Values by clicks', minClicks: 'At least so many clicks', set: 'Set', done: 'Done', except: 'except', loadingRow: 'Loading',
    overTimeOf: (name: string) => `${name} over time`, actionsOf: (name: string) => `Actions for ${name}`,
  },
  enter: {
    title: 'Sign in', email: 'E-mail', password: 'Password', code: 'Code of your app', codeHint: 'six digits, or a recovery code', go: 'Sign in', again: 'Your session has ended. Sign in to go on where you were.',
    welcome: 'Welcome', invited: (account: string, role: string) => `You are invited to ${account} as ${role.toLowerCase()}.`, yourName: 'Your name', choose: 'Choose a password', atLeast: 'at least 10 characters',
    join: 'Join', reset: 'New password', resetGo: 'Save and sign in', known: 'Sign in with the password that you have here already.', entering: 'Signing in…', enterGo: (account: string) => `Open ${account}`, entry: (email: string) => `This link signs you in as ${email}, once.`,
    confirm: 'Confirm that it is you', confirmText: 'This gives access to others or cannot be undone, so your password is asked again.', confirmGo: 'Confirm', cancel: 'Cancel', noLink: 'This address lacks its link.', toSignIn: 'To the sign-in',
  },
  failed: {
    again: 'Try again', request: (id: string) => `Request ${id}`, copy: 'Copy', title: 'This could not be loaded.',
    codes: named({
      away: 'The service does not answer. It may be starting; nothing is lost.', unavailable: 'The service cannot reach its data for the moment.', rate_limited: 'Too many calls at once. Wait a little.',
      internal_error: 'Something failed on our side.', role_required: 'Your role does not include this.', buyer_only: 'Your role does not include making campaigns.', plan_limit: 'The plan does not include this.',
      wrong_sign_in: 'This e-mail and password, or this code, are not right.', code_required: 'Give a code of your app, or a recovery code.', link_gone: 'This link was used already, has been withdrawn or is older than a day.',
      weak_password: 'A password has 10 to 200 characters.', no_password: 'Ask the operator of this service for a link to set a password first.', cross_site: 'This call came from another site.',
      unauthenticated: 'You are not signed in.', not_found: 'There is no such record, or it is there no more.', too_large: 'That is more than a file may have. Use a shorter window.',
    }),
    wait: (s: number) => `Too many attempts. Wait ${Math.ceil(s / 60)} minutes.`,
  },
  notFound: { title: 'There is no such page', back: 'To the overview' },
  close: 'Close', menu: 'Menu', loading: 'Loading',
}
