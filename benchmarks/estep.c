/* The E-step of hiql/kernels/smoother.py: the same arithmetic in C, written by hand, with K fixed at compile time.
   With BANK, rows[t] says which of a bank of matrices leads into step t; without, there is one. */
#include <math.h>

#define FOR(k) for (int k = 0; k < K; k++)

static const double TINY = 0x1p-256;

typedef double Vector[K];
typedef double Matrix[K][K];

static inline void ahead(const Vector x, const Matrix a, Vector result) {
    FOR(k) {
        double total = 0.0;
        FOR(i) total += x[i] * a[i][k];
        result[k] = total;
    }
}

static inline void back(const Vector x, const Matrix a, Vector result) {
    FOR(i) {
        double total = 0.0;
        FOR(k) total += a[i][k] * x[k];
        result[i] = total;
    }
}

static inline void weigh(const Vector x, const double *emission, double last_total, Vector result) {
    FOR(k) result[k] = x[k] * emission[k];
    if (last_total < TINY) FOR(k) result[k] *= 1.0 / TINY;
}

static inline double copy(const double *x, double *result) {
    double total = 0.0;
    FOR(k) total += result[k] = x[k];
    return total;
}

static inline void settle(const Vector x, const Vector y, double *posterior, double *counts) {
    FOR(k) {
        posterior[k] = x[k] * y[k];
        counts[k] += posterior[k];
    }
}

static inline void tally(const Vector alpha, const Vector v, Matrix moves) {
    FOR(i) FOR(j) moves[i][j] += alpha[i] * v[j];
}

#define AT(array, t) ((array) + (long)(t) * K)
#ifdef BANK
#define ROW(t) rows[t]
#else
#define ROW(t) 0
#endif

static double session(long T, const unsigned *pairs, const unsigned *rows, const double *initial, const Matrix *bank,
                      const double *emission, double *work, double *initial_counts, Matrix *moves, double *counts) {
    const long n_left = (T + 1) / 2, n_right = T / 2;
    Vector alpha, predicted, v, beta, left_alpha, right_v;
    double left_total, right_total = 1.0, likelihood = 1.0;
    long n_scaled = 0;

    FOR(k) beta[k] = 1.0;
    weigh(initial, AT(emission, pairs[0]), 1.0, alpha);
    left_total = copy(alpha, work);
    if (n_right > 0) {
        weigh(beta, AT(emission, pairs[T - 1]), 1.0, v);
        right_total = copy(v, AT(work, T - 1));
    }
    for (long left = 1; left < n_left; left++) {
        n_scaled += left_total < TINY;
        ahead(alpha, bank[ROW(left)], predicted);
        weigh(predicted, AT(emission, pairs[left]), left_total, alpha);
        left_total = copy(alpha, AT(work, left));
        if (left < n_right) {
            const long right = T - 1 - left;
            n_scaled += right_total < TINY;
            back(v, bank[ROW(right + 1)], beta);
            weigh(beta, AT(emission, pairs[right]), right_total, v);
            right_total = copy(v, AT(work, right));
        }
    }

    if (n_right > 0) {
        FOR(k) alpha[k] /= left_total;
        FOR(k) v[k] /= right_total;
        ahead(alpha, bank[ROW(n_left)], predicted);
        back(v, bank[ROW(n_left)], beta);
        likelihood = 0.0;
        FOR(k) likelihood += predicted[k] * v[k];
        FOR(k) alpha[k] /= likelihood;
        FOR(k) predicted[k] /= likelihood * right_total;
        tally(alpha, v, moves[ROW(n_left)]);
    }
    FOR(k) beta[k] /= likelihood * left_total;
    const double log_likelihood = log(likelihood * left_total) + log(right_total) + n_scaled * log(TINY);

    copy(AT(work, n_left - 1), left_alpha);
    copy(AT(work, n_left < T ? n_left : T - 1), right_v);
    for (long n = 0; n < n_left; n++) {
        const long left = n_left - 1 - n, right = n_left + n;
        settle(left_alpha, beta, AT(work, left), AT(counts, pairs[left]));
        if (right < T) settle(predicted, right_v, AT(work, right), AT(counts, pairs[right]));
        if (left > 0) {
            left_total = copy(AT(work, left - 1), left_alpha);
            weigh(beta, AT(emission, pairs[left]), left_total, v);
            tally(left_alpha, v, moves[ROW(left)]);
            back(v, bank[ROW(left)], beta);
        }
        if (right + 1 < T) {
            right_total = copy(AT(work, right + 1), right_v);
            weigh(predicted, AT(emission, pairs[right]), right_total, alpha);
            tally(alpha, right_v, moves[ROW(right + 1)]);
            ahead(alpha, bank[ROW(right + 1)], predicted);
        }
    }
    FOR(k) initial_counts[k] += work[k];
    return log_likelihood;
}

double expected_counts(long n_sessions, const long *offsets, const unsigned *pairs, const unsigned *rows,
                       const double *initial, const double *transition, const double *emission, double *work,
                       double *initial_counts, double *transition_counts, double *counts) {
    double log_likelihood = 0.0;
#ifdef BANK
    const Matrix *bank = (const Matrix *)transition;
    Matrix *moves = (Matrix *)transition_counts;
#else
    Matrix bank[1], moves[1] = {{{0.0}}};
    FOR(i) FOR(j) bank[0][i][j] = transition[i * K + j];
#endif
    for (long s = 0; s < n_sessions; s++)
        log_likelihood += session(offsets[s + 1] - offsets[s], pairs + offsets[s], rows + offsets[s], initial, bank,
                                  emission, work, initial_counts, moves, counts);
#ifndef BANK
    FOR(i) FOR(j) transition_counts[i * K + j] += moves[0][i][j];
#endif
    return log_likelihood;
}
