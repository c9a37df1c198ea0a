// The English titles and hints of the lists of offers, landing pages, sources and networks.

export const words = {
  kinds: {
    offers: {
      title: 'Offers',
      add: 'New offer',
      empty: 'No offers yet.',
      emptyMore:
        'An offer is the page where visitors buy or sign up. Its URL contains {clickid}, so that the network can report which click converted.',
    },
    landers: {
      title: 'Landing pages',
      add: 'New landing page',
      empty: 'No landing pages yet.',
      emptyMore: 'A landing page comes before the offer. Its buttons lead on through the tracking domain.',
    },
    sources: {
      title: 'Traffic sources',
      add: 'New traffic source',
      empty: 'No traffic sources yet.',
      emptyMore: 'A source puts its zone, cost and click id into your links. Conversions are reported to it.',
    },
    networks: {
      title: 'Networks',
      add: 'New network',
      empty: 'No networks yet.',
      emptyMore:
        'A network pays you for conversions. Create yours here to get its postback URL. Paste the URL at the network, which then reports each conversion.',
    },
  },
}
