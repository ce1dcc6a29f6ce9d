import { inLanguage } from './language.ts'

const en = {
  alertChecker: {
    proofDoesNotHold: 'The proof does not hold',
  },
  liveAttention: {
    caughtUpAlert: ({ count }: { count: number }) => `Caught up: ${count} ${count === 1 ? 'alert' : 'alerts'}`,
    notChecked: 'Not checked',
  },
  newsWords: {
    newAlerts: ({ count }: { count: number }) => `${count} new ${count === 1 ? 'alert' : 'alerts'}`,
    withCritical: ({ alerts, critical }: { alerts: string; critical: number }) => `${alerts}, ${critical} critical`,
    criticalAlert: ({ asset, anomalyType }: { asset: string; anomalyType: string }) =>
      `Critical alert: ${asset}${anomalyType}`,
  },
  shellTools: {
    keyboardShortcuts: 'Keyboard shortcuts (?)',
    unmuteSoundM: 'Unmute sound (m)',
    soundWaitsForYourFirst: 'Sound waits for your first click on this page',
    muteSoundM: 'Mute sound (m)',
  },
  shortcutsDialog: {
    keyboardShortcuts: 'Keyboard shortcuts',
    eachDoesWhatAControl: 'Each does what a control on the page does. They rest while you type.',
    singleKeyShortcuts: 'Single-key shortcuts',
    goToTheMarketAlerts: 'Go to the market alerts on screen',
    goToTheMessage: 'Go to the message on screen',
  },
  shortcuts: {
    goToTheDashboard: 'Go to the dashboard',
    goToNotifications: 'Go to notifications',
    goToHistory: 'Go to history',
    goToVerification: 'Go to verification',
    goToSettings: 'Go to settings',
    search: 'Search',
    nextAlert: 'Next alert',
    previousAlert: 'Previous alert',
    showNewAlerts: 'Show new alerts',
    pauseOrResumeTheList: 'Pause or resume the list',
    muteOrUnmuteSound: 'Mute or unmute sound',
    showTheseShortcuts: 'Show these shortcuts',
  },
  warnOfFailedProof: {
    alertFailedItsCheck: 'An alert failed its check',
    whatCameInAsIssued: ({ createdAt }: { createdAt: string }) =>
      `What came in as issued at ${createdAt} UTC is not what the log’s key signed. Do not act on it.`,
    checkProof: 'Check proof',
  },
}

export const liveTexts = inLanguage({ en })
