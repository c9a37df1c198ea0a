// The German texts of the comparison with a traffic source or a network.
import { counted, named } from '../words.ts'
import type { words as en } from '../en/difference.ts'

const of = counted('de')

export const words: typeof en = {
  titleOf: name => `${name}: Warum weichen die Zahlen ab?`,
  theirs: 'Dort',
  ours: 'Hier',
  difference: 'Unterschied',
  unexplained: 'Ungeklärt',
  unexplainedText: {
    source:
      'Diese Klicks sind nicht angekommen, oder die Plattform zählt sie anders. Die Weiterleitungen mit dem vergleichen, was die Plattform einen Klick nennt.',
    network:
      'Nichts Gespeichertes erklärt diese Conversions. Bei der Betreuung des Netzwerks nachfragen, mit den Beispielen unten, falls es welche gibt.',
  },
  clicks: 'Klicks',
  conversions: 'Conversions',
  money: { source: 'Kosten', network: 'Umsatz' },
  cause: 'Ursache',
  todo: 'Was zu tun ist',
  noCampaign: 'keine Kampagne',
  causes: 'Ursachen',
  days: 'Nach Tag und Kampagne',
  show: 'Zeilen zeigen',
  basis: named({
    platform: 'Dort: Ausgaben und Klicks, wie die Verbindung sie gelesen hat.',
    spend: 'Dort: Ausgaben, die aus einer Datei eingetragen wurden.',
    orders: 'Dort: jede Bestellung, die die Verbindung gelesen oder eine Datei gemeldet hat.',
    totals: 'Dort: Tagessummen aus dem Bericht des Netzwerks.',
    postbacks: 'Dort: die Postbacks, die das Netzwerk geschickt hat. Mit seinem Bericht lässt sich auch Geld vergleichen.',
  }),
  theirZone: 'Zeitzone der Tage dort',
  theirZoneHint: 'In dieser Zone zählt der Bericht von dort seine Tage. Leer: die Zone der Verbindung, sonst UTC.',
  zones: (ours, theirs) => `Zeitzone: hier ${ours}, dort ${theirs}.`,
  readAt: when => `Zuletzt gelesen: ${when}.`,
  rate: (currency, low, high, own) =>
    low === high ? `1 ${currency} entspricht ${low} ${own}.` : `1 ${currency} entspricht ${low} bis ${high} ${own}.`,
  noRate: (n, shown) => `Ohne Wechselkurs und daher nicht in den Summen: ${of(n, 'Betrag', 'Beträge', shown)}.`,
  nothing: 'Für diese Tage ist nichts von dort gespeichert.',
  nothingMore: {
    source: 'Die Quelle verbinden oder ihre Ausgaben aus einer Datei eintragen. Dann werden beide Seiten hier verglichen.',
    network: 'Das Netzwerk verbinden oder den Bericht hochladen, den es zum Download anbietet. Dann werden beide Seiten hier verglichen.',
  },
  same: 'Beide Seiten haben dieselben Zahlen.',
  export: 'Als CSV speichern',
  names: named({
    not_read: 'Nicht gelesen',
    time_zone: 'Zeitzone',
    conversion_day: 'Tag der Conversion',
    bots: 'Bots',
    hops: 'Auf der Landingpage geblieben',
    unmatched: 'Ohne Klick von uns',
    not_received: 'Uns nie gemeldet',
    refused: 'Abgelehnt',
    not_sent: 'Nicht gesendet oder nicht angenommen',
    late: 'Später geändert',
    currency: 'Währung',
    correction: 'Von Hand korrigiert',
  }),
  advice: named({
    not_read: 'Für diese Tage ist nichts von dort gespeichert. Die Gegenseite verbinden oder die Tage noch einmal lesen.',
    time_zone: 'Dort beginnt der Tag zu einer anderen Zeit. Diese Zeitzone für unsere Berichte wählen oder ganze Wochen vergleichen.',
    conversion_day: 'Dort zählt eine Conversion an ihrem eigenen Tag, hier am Tag ihres Klicks. Längere Zeiträume vergleichen.',
    bots: 'Diese Klicks kamen an und zählen hier als Bots. Vor einer Rückforderung die Gründe ansehen.',
    hops: 'Diese Besucher haben auf der Landingpage nicht weitergeklickt und das Netzwerk nie erreicht. Es ging nichts verloren.',
    unmatched: 'Diese Conversion nennt keinen Klick, den wir kennen. Die URL des Offers muss unsere Klick-ID mitgeben.',
    not_received:
      'Kein Postback hat diese Conversions gemeldet. Die Postback-URL beim Netzwerk prüfen oder die Conversions aus dessen Datei eintragen.',
    refused: 'Diese Conversions haben wir abgelehnt. Der Grund sagt, was zu ändern ist.',
    not_sent: 'Eine Conversion, die nicht gemeldet wurde, kann dort nicht zählen. Der Grund sagt, woran es lag.',
    late: 'Eine Seite hat sich geändert, nachdem die andere gelesen wurde. Der nächste Import beseitigt die meisten dieser Unterschiede.',
    currency: 'Beide Seiten nennen den Betrag in verschiedenen Währungen. Geld fehlt nur, wenn es für einen Betrag keinen Kurs gibt.',
    correction: 'Jemand hat diese Zahlen eingetragen oder geändert. Der Bericht von dort kennt die Änderung nicht.',
  }),
  examples: 'Beispiele',
  order: 'Bestellung',
  payout: 'Payout',
  missing: 'fehlt',
  upload: 'Mit dem Bericht des Netzwerks vergleichen',
  uploadText:
    'Eine Datei mit unseren Klick-IDs wird Zeile für Zeile verglichen. Eine Datei ohne sie wird nach Tagen verglichen. Der Vergleich trägt nichts ein und ändert nichts.',
  uploadButton: 'Diese Datei vergleichen',
  uploaded: (n, shown) => `${of(n, 'Zeile', 'Zeilen', shown)} gespeichert`,
  readAs: {
    orders:
      'Die Datei nennt Klicks, also wird jede Zeile als Bestellung verglichen. An diesen Tagen ersetzen ihre Zeilen die Zeilen früherer Dateien.',
    totals: 'Die Datei nennt keinen Klick, also werden ihre Zeilen als Tagessummen verglichen.',
  },
  ordersFirst: 'Einzelne Bestellungen dieses Zeitraums sind schon gespeichert und werden statt dieser Summen verglichen.',
  truncated: shown => `Nur die ersten ${shown} Zeilen der Datei wurden gelesen. Die fehlenden Tage als zweite Datei hochladen.`,
  refusedRows: (n, shown) => `${of(n, 'Zeile wurde', 'Zeilen wurden', shown)} nicht gespeichert:`,
  line: (n, reason) => `Zeile ${n}: ${reason}`,
  tooLarge: 'Die Datei ist zu groß.',
}
