import type { Alert } from '../../src/alerts.ts'

export function getAlert(logIndex: number, change: Partial<Alert> = {}): Alert {
  return {
    id: `alert-${logIndex}`,
    kind: 'alert',
    targetIndex: null,
    targetLeafHash: null,
    supersededBy: null,
    asset: 'ETH/USDT',
    priority: 'high',
    summary: 'Volume 4.1 times its norm.',
    confidence: 97.3,
    regime: 'volatile',
    anomalyType: 'Volume spike',
    createdAt: new Date(Date.UTC(2026, 10, 21, 14, 0, logIndex)).toISOString(),
    origin: 'feed',
    signalHash: null,
    signer: '0x00',
    signature: '0x00',
    logIndex,
    leafHash: '0x00',
    merklePath: [],
    treeSize: null,
    root: null,
    avalancheTx: null,
    anchoredAt: null,
    ...change,
  }
}
