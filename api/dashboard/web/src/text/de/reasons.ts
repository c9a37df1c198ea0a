// Translates the service's sentences about postbacks into German. The service stores most of its reasons as sentences, not as codes.
const sentences = new Map(
  Object.entries({
    created: 'Die Conversion ist erfasst.',
    updated: 'Die Conversion ist geändert.',
    unchanged: 'Die Conversion war schon so erfasst.',
    'it names no click: the parameter of the click id is missing, empty or still a macro':
      'Die Meldung nennt keinen Klick: Der Parameter der Klick-ID fehlt, ist leer oder noch ein Makro.',
    'the click id that it sends is not a click id of this service':
      'Die gesendete Klick-ID ist keine Klick-ID dieses Dienstes. Zwei Felder des Netzwerks prüfen: „Klick-ID-Parameter“, der Parameter der Offer-Links mit unserer Klick-ID, und das Makro „Klick-ID“, mit dem das Netzwerk sie zurückgibt.',
    'the secret of the network is missing or wrong': 'Das Geheimnis des Netzwerks fehlt oder ist falsch.',
    "the network has no secret yet: enter the platform's secret, then read the message again":
      'Das Netzwerk hat noch kein Geheimnis: das der Plattform eintragen und die Meldung neu einlesen.',
    'it names no click and refers to no conversion: the order came through no link, or the shop does not pass on the click id':
      'Die Meldung nennt keinen Klick und keine Conversion: Die Bestellung kam nicht über einen Link, oder der Shop gibt die Klick-ID nicht weiter.',
    "a part of the sale was refunded: correct the payout, or let the shop send the order's updates":
      'Ein Teil des Verkaufs wurde erstattet: den Payout korrigieren oder den Shop die Änderungen der Bestellung senden lassen.',
    'only the values that were read from it are stored, not the notification: let the platform send the notification again':
      'Nur die aus der Meldung gelesenen Werte sind gespeichert: die Plattform die Meldung erneut senden lassen.',
    'the shop had already sent a later state of the order': 'Der Shop hatte schon einen späteren Stand der Bestellung gesendet.',
    'the sale that it is about is not known yet': 'Der Verkauf, um den es geht, ist noch nicht bekannt.',
    'it was refused when it arrived: let the server report it again':
      'Die Meldung wurde bei der Ankunft abgelehnt: den Server erneut melden lassen.',
    'the stored proof of the sender cannot be decrypted: ENCRYPTION_KEY has changed':
      'Der Nachweis des Absenders lässt sich nicht öffnen: ENCRYPTION_KEY hat sich geändert.',
    'a later report of this conversion counts instead': 'Stattdessen zählt eine spätere Meldung dieser Conversion.',
    'a server or a correction has reported this conversion: a later report by a browser does not change it':
      'Ein Server oder eine Korrektur hat diese Conversion gemeldet: Was ein Browser danach meldet, ändert sie nicht.',
    'it was recorded as another conversion, whose id and goal differ: correct that one':
      'Die Meldung ist als andere Conversion mit anderer ID und anderem Ziel erfasst: jene korrigieren.',
    'its time lies before its click': 'Die Zeit liegt vor dem Klick.',
    'its time lies in the future': 'Die Zeit liegt in der Zukunft.',
    'its click is not known yet': 'Der Klick ist noch nicht bekannt.',
    'its click never came': 'Der Klick ist nie angekommen.',
    'there is no such network': 'Dieses Netzwerk gibt es nicht.',
    'the traffic source is deactivated': 'Die Traffic-Quelle ist gelöscht.',
    'the traffic source is paused': 'Die Traffic-Quelle ist pausiert.',
    'the traffic source no longer receives postbacks of this kind': 'Die Traffic-Quelle bekommt solche Postbacks nicht mehr.',
    'its click is deleted': 'Der Klick ist gelöscht.',
  }),
)

const statuses: Record<string, string> = {
  pending: '„Offen“',
  approved: '„Bestätigt“',
  rejected: '„Abgelehnt“',
  chargeback: '„Rückbuchung“',
}
const status = (name: string) => statuses[name] ?? `„${name}“`

// forms match the sentences that contain a value.
const forms: [RegExp, (...parts: string[]) => string][] = [
  [
    /^a conversion does not go from (\w+) to (\w+)$/,
    (_, from, to) => `Eine Conversion wechselt nicht von ${status(from!)} zu ${status(to!)}.`,
  ],
  [
    /^the status "(.*)" reports no conversion: .*$/s,
    (_, word) => `Der Status „${word}“ meldet keine Conversion: Nichts wurde gezahlt oder zurückgenommen.`,
  ],
  [
    /^the payout "(.*)" is a macro that was not filled in$/s,
    (_, text) => `Der Payout „${text}“ ist ein Makro, das nicht ausgefüllt wurde.`,
  ],
  [/^the cost "(.*)" is below zero$/s, (_, text) => `Die Kosten „${text}“ sind kleiner als null.`],
  [
    /^the cost "(.*)" is in another currency than the payout$/s,
    (_, text) => `Die Kosten „${text}“ haben eine andere Währung als der Payout.`,
  ],
]

export const words = {
  of: (said: string): string => {
    const form = forms.find(([f]) => f.test(said))
    return sentences.get(said) ?? (form ? form[1](...form[0].exec(said)!) : said)
  },
}
