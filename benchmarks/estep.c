/* The E-step of hiql/kernels/smoother.py, the same arithmetic in plain C, with K fixed at compile time. */
#include <math.h>
#include <string.h>

#define TINY 1e-60

double expected_counts(long n_sessions, const long *offsets, const unsigned *pairs, const double *initial,
                       const double *transition, const double *emission, double *work, double *initial_counts,
                       double *transition_counts, double *counts) {
    double log_likelihood = 0.0;
    for (long s = 0; s < n_sessions; s++) {
        const unsigned *pair = pairs + offsets[s];
        const long T = offsets[s + 1] - offsets[s];
        double total = 0.0;
        for (int k = 0; k < K; k++) total += work[k] = initial[k] * emission[(long)pair[0] * K + k];
        for (long t = 1; t < T; t++) {
            const double *e = emission + (long)pair[t] * K, *before = work + (t - 1) * K;
            double *here = work + t * K, previous = total;
            total = 0.0;
            for (int k = 0; k < K; k++) {
                double predicted = 0.0;
                for (int i = 0; i < K; i++) predicted += before[i] * transition[i * K + k];
                total += here[k] = predicted * e[k];
            }
            if (previous < TINY) {
                log_likelihood += log(previous);
                total /= previous;
                for (int k = 0; k < K; k++) here[k] /= previous;
            }
        }
        log_likelihood += log(total);
        double backward[K], explained[K];
        for (int k = 0; k < K; k++) backward[k] = 1.0 / total;
        for (long t = T - 1; t > 0; t--) {
            const double *e = emission + (long)pair[t] * K, *before = work + (t - 1) * K;
            double *here = work + t * K, *count = counts + (long)pair[t] * K, previous = 0.0;
            for (int k = 0; k < K; k++) {
                double posterior = here[k] * backward[k];
                explained[k] = e[k] * backward[k];
                count[k] += posterior;
                here[k] = posterior;
                previous += before[k];
            }
            if (previous < TINY)
                for (int k = 0; k < K; k++) explained[k] /= previous;
            for (int i = 0; i < K; i++) {
                double message = 0.0;
                for (int j = 0; j < K; j++) {
                    message += transition[i * K + j] * explained[j];
                    transition_counts[i * K + j] += before[i] * explained[j];
                }
                backward[i] = message;
            }
        }
        for (int k = 0; k < K; k++) {
            double posterior = work[k] * backward[k];
            counts[(long)pair[0] * K + k] += posterior;
            initial_counts[k] += posterior;
        }
    }
    return log_likelihood;
}
