import type { ReactNode } from 'react'
import { inLanguage, numberLocale } from './language.ts'

const en = {
  activeFilters: {
    fromDate: ({ from }: { from: string }) => `From ${from}`,
    toDate: ({ to }: { to: string }) => `To ${to}`,
    unreadOnly: 'Unread only',
    filteredBy: 'Filtered by',
    removeFilter: ({ words }: { words: string }) => `Remove filter ${words}`,
    clearAll: 'Clear all',
  },
  alertDetail: {
    type: 'Type',
    regime: 'Regime',
    confidence: 'Confidence',
    issued: 'Issued',
    anchored: 'Anchored',
    notYetAnchored: 'Not yet anchored',
    logIndex: 'Log index',
    leaf: 'Leaf',
    root: 'Root',
    transaction: 'Transaction',
    checkProof: 'Check proof',
    copyLabel: ({ label }: { label: string }) => `Copy ${label}`,
  },
  alertList: {
    alerts: 'Alerts',
    loadingAlerts: 'Loading alerts',
    failedToFetchAlerts: 'Failed to fetch alerts',
    noAlertsMatch: 'No alerts match',
    clearFilters: 'Clear filters',
    searchForSomethingElse: 'Search for something else, or choose another priority.',
    noAlertsYet: 'No alerts yet',
    everyAlert: 'Every alert that you may read will be listed here.',
  },
  alertSeal: {
    afterDelay: ({ delay }: { delay: string }) => `after ${delay}`,
    anchoring: 'anchoring…',
    proofFailed: 'Proof failed',
  },
  compactRow: {
    unread: 'Unread',
    assetSummaryAndProof: 'Asset, summary and proof are for subscribers',
    subscribe: 'Subscribe',
    timeZone: ({ zone }: { zone: ReactNode }) => <>Time {zone}</>,
    priority: 'Priority',
    asset: 'Asset',
    type: 'Type',
    summary: 'Summary',
    conf: 'Conf.',
    proof: 'Proof',
  },
  copyAlert: {
    copied: 'Copied',
    copyAlertJson: 'Copy alert JSON',
  },
  countWords: {
    alerts: ({ counted, count, isMore }: { counted: string; count: number; isMore: boolean }) =>
      `${counted} ${count === 1 && !isMore ? 'alert' : 'alerts'}`,
  },
  exportMenu: {
    serverDidNotAnswerNothing: 'The server did not answer. Nothing was saved.',
    exportFailed: 'Export Failed',
    exporting: 'Exporting…',
    export: 'Export',
    forSpreadsheetsWithProof: 'For spreadsheets, with proof',
    eachAlert: 'Each alert as it can be verified',
  },
  filterBar: {
    searchAlerts: 'Search alerts',
    searchAssetTypeOrSummary: 'Search asset, type or summary',
    priority: 'Priority',
    all: 'All',
    unreadOnly: 'Unread only',
    assetTypeDate: 'Asset, type, date',
  },
  filterDetails: {
    asset: 'Asset',
    allAssets: 'All assets',
    type: 'Type',
    allTypes: 'All types',
    fromUtc: 'From (UTC)',
    toUtc: 'To (UTC)',
  },
  anomalyFigure: {
    anomaly: 'Anomaly',
    reached: ({ asset, anomalyType, value }: { asset: string; anomalyType: string; value: string }) =>
      `${[asset, anomalyType].filter(Boolean).join(', ')}: ${value}`,
    usually: ({ low, high }: { low: string; high: string }) => `Usually ${low} to ${high}`,
    valueAt: ({ value, time }: { value: string; time: string }) => `${value} at ${time}`,
    lowest: ({ value }: { value: string }) => `min ${value}`,
    highest: ({ value }: { value: string }) => `max ${value}`,
    detected: 'detected',
    drawnFrom: 'Drawn from the feed’s message, which has the hash that this alert signs.',
    otherHash:
      'The feed’s message that this server gives has another hash than the one that this alert signs, so nothing is drawn from it.',
  },
  insightRow: {
    assetSummaryAndProof: 'Asset, summary and proof are for subscribers',
    subscribe: 'Subscribe',
    priority: 'Priority',
    asset: 'Asset',
    summary: 'Summary',
    anomaly: 'Anomaly',
    conf: 'Conf.',
    timeZone: ({ zone }: { zone: ReactNode }) => <>Time {zone}</>,
    proof: 'Proof',
  },
  linkedAlert: {
    alertOfYourLink: 'The alert of your link',
    alertOfYourLinkIs: 'The alert of your link is not here: it does not exist, or it is for subscribers.',
  },
  listFoot: {
    showing: ({ shown, all }: { shown: number; all: string }) =>
      `Showing ${shown.toLocaleString(numberLocale)} of ${all}`,
    allShown: ({ count }: { count: string }) => `All ${count} shown`,
  },
  notificationsPage: {
    notifications: 'Notifications',
    markedAsRead: ({ count }: { count: string }) => `${count} marked as read`,
    unread: 'unread',
    toSave: ({ countOf }: { countOf: string }) => `${countOf} to save`,
    whatIsSelected: 'What is selected',
    resumeP: 'Resume (p)',
    pauseP: 'Pause (p)',
    resume: 'Resume',
    pause: 'Pause',
    undo: 'Undo',
    markAllRead: 'Mark all read',
    showNew: 'Show new (.)',
    newOnes: ({ waiting }: { waiting: number }) => `${waiting} new`,
    alertsOfTheLastHours:
      'Alerts of the last hours are for subscribers: you see that there were some. Older ones are for everybody.',
    subscribe: 'Subscribe',
  },
  readFailure: {
    tryAgain: 'Try again',
  },
  relation: {
    corrects: 'Corrects',
    retracts: 'Retracts',
    retractedBy: 'Retracted by',
    correctedBy: 'Corrected by',
  },
  toastProof: {
    signedAnchoring: 'Signed, anchoring…',
    anchored: 'Anchored',
    anchoredAfter: ({ delay }: { delay: string }) => `Anchored after ${delay}`,
  },
  useMarkRead: {
    notMarked: 'Not Marked',
    notTakenBack: 'Not Taken Back',
    serverDidNotAnswerNothing: 'The server did not answer. Nothing was changed.',
  },
  virtualRows: {
    alertsNewestFirst: 'Alerts, newest first',
  },
}

export const alertsTexts = inLanguage({ en })
