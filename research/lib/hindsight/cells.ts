/** How finely games are examined. */
export interface Grid {
  /** The factor between two spreads, > 1. */
  readonly ratio: number;
  /** The step between two centres, as a share of the spread. */
  readonly step: number;
  /** How often a cell in which a game may be worth more than it costs is divided: into halves of each of its sides. */
  readonly divisions: number;
}

/**
 * What a game of a cell costs at least, without its waits: Σ weight·(size·(mean − μ)² + within) + constant, where μ is the
 * centre of the cell.
 *
 * For a game of N players with mean m and spread v = v_2, N·v = min over μ, τ of Σ size·(mean − μ)²/(2τ) + within/(2τ) +
 * Nτ/2, with the minimum at μ = m, τ = v. For every game of the cell |m − μ| ≤ h, τ/ρ ≤ v ≤ τρ, the sum at its centre is at
 * most cosh(ln ρ) + h²ρ/(2τ²) times N·v. Dividing by this factor makes it a bound for the whole cell.
 */
export interface Cell {
  readonly weight: number;
  readonly constant: number;
}

/** The cell |m − μ| ≤ half, spread/ρ ≤ v ≤ spread·ρ of games with this many seats. */
export function cellOf(spread: number, rho: number, half: number, seats: number): Cell {
  const factor = (rho + 1 / rho) / 2 + (half * half * rho) / (2 * spread * spread);
  return { weight: 1 / (2 * spread * factor), constant: (seats * spread) / (2 * factor) };
}

/** All games with v ≤ spread·ρ, by a straight line through 0: N·v ≥ N·v²/(spread·ρ). */
export function leastCell(spread: number, rho: number, half: number, seats: number): Cell {
  const weight = 1 / (spread * rho);
  return { weight, constant: -weight * seats * half * half };
}
