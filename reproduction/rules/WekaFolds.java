import java.io.*;
import java.util.*;
import weka.classifiers.*;
import weka.core.*;

/** Trains WEKA's classifiers on prepared folds: java -cp weka.jar WekaFolds.java FOLDER FOLDS NAME=CLASS...
 *  For each fold k, FOLDER holds train-k.arff, clean-k.arff and noisy-k.arff, the class last. Prints one line for each
 *  classifier and fold: name, fold, accuracy on clean, accuracy on noisy, number of rules (-1: none). */
public class WekaFolds {
    public static void main(String[] arguments) throws Exception {
        for (int fold = 0; fold < Integer.parseInt(arguments[1]); fold++) {
            Instances train = read(arguments[0], "train", fold);
            Instances clean = read(arguments[0], "clean", fold), noisy = read(arguments[0], "noisy", fold);
            for (String named : Arrays.asList(arguments).subList(2, arguments.length)) {
                String[] pair = named.split("=", 2);
                Classifier classifier = (Classifier) Class.forName(pair[1]).newInstance();
                classifier.buildClassifier(new Instances(train));
                double rules = classifier instanceof AdditionalMeasureProducer ? rules((AdditionalMeasureProducer) classifier) : -1;
                System.out.println(pair[0] + "\t" + fold + "\t" + right(classifier, clean) + "\t" + right(classifier, noisy) + "\t" + rules);
            }
        }
    }

    static double rules(AdditionalMeasureProducer classifier) {
        for (Enumeration<?> each = classifier.enumerateMeasures(); each.hasMoreElements();)
            if (each.nextElement().equals("measureNumRules")) return classifier.getMeasure("measureNumRules");
        return -1;
    }

    static double right(Classifier classifier, Instances records) throws Exception {
        int found = 0;
        for (int place = 0; place < records.numInstances(); place++) {
            Instance record = records.instance(place);
            if (classifier.classifyInstance(record) == record.classValue()) found++;
        }
        return found / (double) records.numInstances();
    }

    static Instances read(String folder, String part, int fold) throws Exception {
        Instances records = new Instances(new FileReader(new File(folder, part + "-" + fold + ".arff")));
        records.setClassIndex(records.numAttributes() - 1);
        return records;
    }
}
