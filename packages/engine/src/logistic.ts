/**
 * Online logistic regression with a normal prior, updated one outcome at a time by a Newton step
 * on the assumed normal posterior (Spiegelhalter and Lauritzen, 1990). Needs few outcomes and no
 * learning rate.
 */
export interface Logistic {
  weights: number[]
  /** Covariance of the weights, row by row. */
  covariance: number[]
}

/**
 * @param prior initial weights
 * @param variances initial variance of each weight
 */
export function createLogistic(prior: readonly number[], variances: readonly number[]): Logistic {
  const size = prior.length
  const covariance = new Array<number>(size * size).fill(0)
  variances.forEach((variance, i) => {
    covariance[i * size + i] = variance
  })
  return { weights: [...prior], covariance }
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x))

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

function multiplyByCovariance({ covariance }: Logistic, features: readonly number[]): number[] {
  const size = features.length
  return features.map((_, row) => dot(features, covariance.slice(row * size, row * size + size)))
}

/**
 * Probability that the outcome is 1, averaged over the distribution of the weights (MacKay, 1992).
 */
export function computeProbability(model: Logistic, features: readonly number[]): number {
  const mean = dot(model.weights, features)
  const variance = dot(features, multiplyByCovariance(model, features))
  return sigmoid(mean / Math.sqrt(1 + (Math.PI * variance) / 8))
}

export function learnOutcome(model: Logistic, features: readonly number[], outcome: 0 | 1): void {
  const size = features.length
  const covarianceFeatures = multiplyByCovariance(model, features)
  const p = sigmoid(dot(model.weights, features))
  const curvature = p * (1 - p)
  const gain = 1 / (1 + curvature * dot(features, covarianceFeatures))
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const cellIndex = row * size + column
      const change = curvature * gain * (covarianceFeatures[row] ?? 0) * (covarianceFeatures[column] ?? 0)
      model.covariance[cellIndex] = (model.covariance[cellIndex] ?? 0) - change
    }
    model.weights[row] = (model.weights[row] ?? 0) + gain * (covarianceFeatures[row] ?? 0) * (outcome - p)
  }
}
