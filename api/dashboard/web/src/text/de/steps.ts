// Translates into German what a link test or a postback test reports at each step.
import type { words as en } from '../en/steps.ts'
import { translate, type Form } from '../forms.ts'
import { words as reasons } from './reasons.ts'

const statuses: Record<string, string> = { pending: 'offen', approved: 'bestätigt', rejected: 'abgelehnt', chargeback: 'eine Rückbuchung' }
const status = (name: string) => statuses[name] ?? name
const ways: Record<string, string> = {
  forced: 'erzwungen',
  regular: 'regulär',
  default: 'Standard',
  bound: 'wiedergekommen',
  fallback_url: 'Ausweich-URL',
  destination_url: 'URL der Kampagne',
  none: 'nicht gefunden',
}
const way = (name: string) => ways[name] ?? name
const actions: Record<string, string> = {
  offer: 'Offer',
  lander: 'Landingpage',
  redirect: 'URL',
  campaign: 'andere Kampagne',
  nothing: 'Antwort',
}
const translateReason = (text: string) => reasons.of(text).replace(/\.$/, '')

const missing: Form[] = [
  [/^the source's click id$/, () => 'die Klick-ID der Quelle'],
  [/^a cost$/, () => 'Kosten'],
  [/^(.*) \(still the macro (.*)\)$/s, (name, macro) => `${name} (noch das Makro ${macro})`],
  [/^the part after #, .*$/s, () => 'der Teil nach #, den kein Browser sendet: ein Makro mit # wurde nicht ausgefüllt'],
]

const forms: Form[] = [
  [
    /^(\S+) is no shared link domain and no verified domain of the account$/,
    host => `${host} ist weder eine gemeinsame noch eine bestätigte Domain des Kontos`,
  ],
  [/^(.*) is a smartlink on this domain$/s, word => `${word} ist auf dieser Domain ein Smartlink`],
  [
    /^the campaign is (\w+) and has no fallback_url$/,
    is => `die Kampagne ist ${is === 'paused' ? 'pausiert' : 'archiviert'} und hat keine Ausweich-URL`,
  ],
  [/^"(.*)" is no alias on this domain$/s, word => `„${word}“ ist kein Alias auf dieser Domain`],
  [/^the link leads to another campaign: (.*)$/s, name => `der Link führt zu einer anderen Kampagne: ${name}`],
  [/^the campaign is paused: .*$/, () => 'die Kampagne ist pausiert: Besucher gehen zur Ausweich-URL'],
  [
    /^not read: (.*)$/s,
    list =>
      `nicht gelesen: ${list
        .split(/, (?!which)/)
        .map(part => translate(missing, part))
        .join(', ')}`,
  ],
  [
    /^(\d+) read; external id "(.*)", cost (\S+) (\w*)$/s,
    (n, id, cost, currency) => `${n} gelesen; externe ID „${id}“, Kosten ${cost} ${currency}`,
  ],
  [/^counted as a bot: (.*), score (\d+)$/s, (why, score) => `zählt als Bot: ${why}, Wert ${score}`],
  [
    /^country (.*), (.*), (.*), (.*); bot score (\d+)$/s,
    (c, d, o, b, score) => `Land ${c === 'unknown' ? 'unbekannt' : c}, ${d}, ${o}, ${b}; Bot-Wert ${score}`,
  ],
  [/^(\w*) path "(.*)", action (\w*)$/s, (via, name, action) => `Pfad „${name}“ (${way(via)}), Aktion ${actions[action] ?? action}`],
  [/^no path takes this visitor: (.*)$/s, via => `kein Pfad nimmt diesen Besucher: ${way(via)}`],
  [
    /^the path answers with status (\d+) and does not redirect the visitor$/,
    code => `der Pfad antwortet mit Status ${code} und leitet den Besucher nicht weiter`,
  ],
  [/^nowhere: the visitor gets the status (\d+)$/, code => `nirgendwohin: der Besucher bekommt den Status ${code}`],
  [
    /^(.*) signs its notifications, .*$/s,
    name =>
      `${name} signiert seine Meldungen, eine erfundene gälte also nicht: ${name} einen Test senden lassen und ihn im Postback-Protokoll suchen`,
  ],
  [
    /^the address does not end in (\S+): .*$/,
    path => `die URL endet nicht auf ${path}: sie wird ohne die Einstellungen des Netzwerks gelesen`,
  ],
  [/^network (.*), (\d+) parameters$/s, (name, n) => `Netzwerk ${name}, ${n} Parameter`],
  [/^the conversion would be recorded for a click of the network$/, () => 'die Conversion würde für einen Klick des Netzwerks erfasst'],
  [
    /^the click id is read; the test made it up, .*$/,
    () => 'die Klick-ID wird gelesen; der Test hat sie erfunden, weil das Netzwerk noch keinen Klick hat',
  ],
  [/^click (\S+) of campaign (\S+)$/, (id, campaign) => `Klick ${id} von Kampagne ${campaign}`],
  [
    /^(.*): a live postback waits for the click, and becomes unmatched if it does not arrive$/s,
    why => `${translateReason(why)}: ein echter Postback wartet auf den Klick und bleibt ohne Klick, wenn er nicht ankommt`,
  ],
  [/^the network has no secret, so a postback needs none$/, () => 'das Netzwerk hat kein Geheimnis, also braucht ein Postback keines'],
  [/^right$/, () => 'richtig'],
  [
    /^no status word: a new conversion is (\w+), .*$/,
    word => `kein Statuswort: eine neue Conversion ist ${status(word)}, eine erfasste behält ihren Status`,
  ],
  [
    /^"(.*)" is not known: the conversion is (\w+) until .*$/s,
    (word, is) => `„${word}“ ist unbekannt: die Conversion ist ${status(is)}, bis das Wort bei den Statuswörtern des Netzwerks steht`,
  ],
  [/^"(.*)" reports no conversion$/s, word => `„${word}“ meldet keine Conversion`],
  [/^"(.*)" is (pending|approved|rejected|chargeback)$/s, (word, is) => `„${word}“ ist ${status(is)}`],
  [/^no payout stated: the offer's payout is used$/, () => 'kein Payout genannt: der des Offers gilt'],
  [
    /^(.*): the conversion is taken back, and keeps its payout$/,
    amount => `${amount}: die Conversion wird zurückgenommen und behält ihren Payout`,
  ],
  [/^(\S+) in the currency of the offer$/, amount => `${amount} in der Währung des Offers`],
  [/^"(.*)": (.*)$/s, (time, why) => `„${time}“: ${translateReason(why)}`],
  [
    /^goal "(.*?)"(, from the status word)?, conversion id "(.*)"$/s,
    (goal, word, id) => `Ziel „${goal}“${word && ', aus dem Statuswort'}, Conversion-ID „${id}“`,
  ],
  [/^nothing is recorded before the click is known$/, () => 'bevor der Klick bekannt ist, wird nichts erfasst'],
  [/^nothing would be recorded: (.*)$/s, why => `nichts würde erfasst: ${translateReason(why)}`],
  [/^the conversion would be (created|updated)$/, result => `die Conversion würde ${result === 'created' ? 'angelegt' : 'geändert'}`],
  [
    /^nothing would change: (.*)$/s,
    why =>
      `nichts würde sich ändern: ${why === 'it is already recorded with the same values' ? 'die Conversion ist schon genau so erfasst' : translateReason(why)}`,
  ],
]

export const words: typeof en = {
  of: text => reasons.of(translate(forms, text)),
  names: {
    address: 'URL',
    click: 'Klick',
    secret: 'Geheimnis',
    status: 'Status',
    payout: 'Payout',
    time: 'Zeit',
    goal: 'Ziel',
    result: 'Ergebnis',
  },
}
