// The English texts of postbacks without a click.
import { counted, named } from '../words.ts'

const of = counted('en')

export const words = {
  every: 'Every network',
  everyOf: 'every network',
  cause: 'Why it found no click',
  request: 'What came in',
  empty: 'Every postback found its click.',
  emptyMore: 'Postbacks without a click wait here.',
  sampled: 'For each network, only 20 postbacks an hour that name no click are kept: there may have been more.',
  replayKey: 'check and replay',
  check: 'Check and replay',
  next: 'next or previous postback',
  causes: {
    macro: (param: string, value: string) => `The network did not fill in ${param}: it still says ${value}.`,
    wrong: (param: string) => `${param} is not one of our click ids.`,
    hidden: (params: string) => `No parameter is read as the click id. It may be in ${params}.`,
    ready: (param: string) => `When the postback came in, ${param} was not read as the click id. Now it is.`,
    empty: 'The postback has no click id.',
    gone: 'The click is not here: it is older than the click history, was cleared, or belongs to another account.',
  },
  todo: {
    macro: 'In the network, put its own macro for the click id into the postback.',
    wrong: 'Offers of the network have to send {clickid} along, and its postback has to send the same value back.',
    ready: 'Replay it.',
    hidden: 'Say below which parameter carries the click id, then replay.',
    empty: 'Copy the postback URL of the network here, and paste it at the network again.',
    gone: 'Nothing can be fixed here. A replay helps only if the click has arrived since.',
  },
  sheet: 'Postback without a click',
  likely: 'Likely cause',
  settings: (name: string) => `How ${name} is read`,
  settingsText: 'Which parameter holds which value. Empty: one of the usual names.',
  usual: (names: string) => `Usual: ${names}`,
  saveAndCheck: 'Save and check',
  saved: (name: string) => `${name} is read this way from now on`,
  noNetwork: 'The URL names no network, so there are no settings to change.',
  would: named({ matched: 'It would find its click.', unmatched: 'It would still find no click.', refused: 'It would be refused.' }),
  dryText: (network: string, window: string) => `What would become of the postbacks of ${network}, ${window}. Nothing has changed yet.`,
  dryMany: (n: number) => `The newest ${n} were read; a replay reads all.`,
  results: named({ matched: 'Would match', unmatched: 'Would stay unmatched', refused: 'Refused' }),
  replayAll: (n: number): string => (n === 1 ? 'Replay it' : 'Replay all'),
  nothing: 'Nothing is unmatched here.',
  replayed: (n: number, shown: string) => `${of(n, 'postback is', 'postbacks are', shown)} read again. The results show within seconds.`,
}
