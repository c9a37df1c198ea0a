// The English texts for changing many records together, and for replacing an offer or landing page everywhere.
import { counted, named } from '../words.ts'

const of = counted('en')

export const words = {
  edit: named({
    campaigns: (n: number) => `Edit ${of(n, 'campaign', 'campaigns')}`,
    offers: (n: number) => `Edit ${of(n, 'offer', 'offers')}`,
    landers: (n: number) => `Edit ${of(n, 'landing page', 'landing pages')}`,
  }),
  text: 'Only the fields that you fill in are changed, in all of the records or in none.',
  unchanged: 'Unchanged',
  noGroup: 'No group',
  addTags: 'Add tags',
  removeTags: 'Remove tags',
  domainHint: 'The links move to this domain. Old links stop within a second. On a shared domain, aliases change.',
  saved: named({
    campaigns: (n: number) => `${of(n, 'campaign is', 'campaigns are')} changed`,
    offers: (n: number) => `${of(n, 'offer is', 'offers are')} changed`,
    landers: (n: number) => `${of(n, 'landing page is', 'landing pages are')} changed`,
  }),
  same: 'All had these values already.',
  refused: (names: string) => `Refused for ${names}. Nothing has changed.`,
  undone: 'The change is undone',
  kept: (names: string) => `Changed since, and left as they are: ${names}`,
  replaceTitle: (name: string) => `Replace ${name} everywhere`,
  with: named({ offers: 'With which offer?', landers: 'With which landing page?' }),
  place: 'Campaign',
  path: 'Path',
  weight: 'Weight',
  flow: 'saved flow',
  slot: (n: number) => `slot ${n}`,
  all: 'Everywhere',
  none: 'Select none',
  unused: 'No campaign and no saved flow leads there.',
  joins: (old: string, now: string) => `${old} → ${now}`,
  joinsText: 'Some paths have both already. These paths keep only the new one, with the sum of both weights.',
  paused: (name: string) => `${name} is paused: paths pass it over until it is resumed.`,
  slots: (n: number, have: number) =>
    `The new page has ${of(n, 'click slot', 'click slots')}, the old one ${have}. The offers of the other slots get no visitors.`,
  more: (n: string) => `Only the first ${n} places are shown. Choose some of them.`,
  go: (n: number) => `Replace in ${of(n, 'place', 'places')}`,
  replaced: (n: number, old: string, now: string) => `${now} is in the place of ${old} in ${of(n, 'path', 'paths')}`,
}
