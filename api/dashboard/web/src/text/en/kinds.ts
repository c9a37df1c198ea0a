// The English names of offers, landing pages, sources and networks, which every screen needs.

export const words = {
  kinds: {
    offers: {
      title: 'Offers',
      add: 'New offer',
      empty: 'No offer yet.',
      emptyMore: 'An offer is where a visitor converts. Its address has {clickid}, so that the network can say who it was.',
    },
    landers: {
      title: 'Landing pages',
      add: 'New landing page',
      empty: 'No landing page yet.',
      emptyMore: 'A landing page comes before the offer. Its buttons lead on through the tracking domain.',
    },
    sources: {
      title: 'Traffic sources',
      add: 'New traffic source',
      empty: 'No source yet.',
      emptyMore: 'A source fills your links with its zone, cost and click id, and conversions are reported to it.',
    },
    networks: {
      title: 'Networks',
      add: 'New network',
      empty: 'No network yet.',
      emptyMore: 'A network pays for conversions and reports them by a postback, which is ready to paste.',
    },
  },
}
