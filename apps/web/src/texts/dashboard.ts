import { inLanguage, numberLocale } from './language.ts'

const en = {
  activityPanel: {
    viewAll: 'View all',
    recentActivity: 'Recent activity',
    loadingActivity: 'Loading activity',
    activityCouldNotBeRead: 'The activity could not be read.',
    noActivityYet: 'No activity yet',
    signInsPaymentsAndChecks: 'Sign-ins, payments and checks will appear here.',
  },
  connectGate: {
    alertsArePaid: 'Alerts are paid from your wallet and delivered to it.',
    connectWallet: 'Connect Wallet',
  },
  dashboardPage: {
    marketInsightsDashboard: 'Market Insights Dashboard',
    realTimeAnomalyDetection: 'Real-time anomaly detection and market signals',
    alerts24H: 'Alerts, 24 h',
    critical: 'Critical',
    medianToAnchor: 'Median to anchor',
    offline24H: 'Offline, 24 h',
  },
  insightsPanel: {
    ofToday: ({ count, last24Hours }: { count: number; last24Hours: number }) =>
      `${count} of ${last24Hours.toLocaleString(numberLocale)} today`,
    liveInsights: 'Live insights',
    showNew: 'Show new (.)',
    newWaiting: ({ waiting }: { waiting: number }) => `${waiting} new`,
    refreshing: 'Refreshing…',
    refresh: 'Refresh',
    viewAll: 'View all',
    loadingAlerts: 'Loading alerts',
    failedToFetchAlerts: 'Failed to fetch alerts',
    noAlertsYet: 'No alerts yet',
    marketAlertsWillAppearHere: 'Market alerts will appear here as they are issued.',
    resumeP: 'Resume (p)',
    pauseP: 'Pause (p)',
    resume: 'Resume',
    pause: 'Pause',
  },
  performanceCard: {
    marketPerformance: 'Market performance',
    successRate: 'Success rate',
    averageConfidence: 'Average confidence',
    publishedBaseline: 'Published baseline',
    measuredMeasuredSample: ({ measured, sample }: { measured: number | null; sample: number }) =>
      `Measured${measured === null ? '' : `, n ${sample.toLocaleString(numberLocale)}`}`,
    notMeasuredYet: 'Not measured yet',
    covers: {
      public: 'Measured over the alerts that are public.',
      subscribed: 'Measured over the alerts that you can read.',
      all: 'Measured over all alerts, drafts included.',
    },
  },
  restoring: {
    lookingForYourWallet: 'Looking for your wallet',
  },
  systemCard: {
    off: 'Off',
    connecting: 'Connecting',
    online: 'Online',
    notAnswering: 'Not answering',
    reconnecting: 'Reconnecting',
    failed: 'Failed',
    systemStatus: 'System status',
    statusCouldNotBeRead: 'The status could not be read.',
    analysisSystem: 'Analysis system',
    websocket: 'WebSocket',
    connected: 'Connected',
    disconnected: 'Disconnected',
    newAlertsAreDelayed: 'New alerts are delayed',
    anchorChain: 'Anchor chain',
    chainState: {
      current: ({ chain }: { chain: string }) => chain,
      delayed: ({ chain }: { chain: string }) => `${chain}, delayed`,
      stopped: ({ chain }: { chain: string }) => `${chain}, stopped`,
    },
    up: ({ up }: { up: string }) => `Up ${up}.`,
    upNoSignalYet: ({
      up,
      lastSignalAt,
      lastSignal,
    }: {
      up: string
      lastSignalAt: string | null
      lastSignal: string
    }) => `Up ${up}. ${lastSignalAt === null ? 'No signal yet.' : `Last signal ${lastSignal} ago.`}`,
  },
}

export const dashboardTexts = inLanguage({ en })
